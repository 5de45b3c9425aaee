# the sample
VIEW SAMPLE
# type cname fbname count flag size null
short	one	SHORT	1	FS	-	-
long	two	LONG	1	FS	-	-1
char	three	CHAR	1	FS	-	'x'
float	four	FLOAT	2	FSC	-	1.5
double	five	DOUBLE	1	FS	-	NONE
int	six	LONG2	3	FSC	-	7
string	seven	STRING	3	FSCL	12	"none at all"
carray	eight	CARRAY	2	FSL	8	-
string	nine	-	1	P	6	"-*"
string	ten	STRING2	4	FS	4	-
carray	eleven	-	1	-	5	'\0\n\\\'x'
END

VIEW SMALL
char a - 1 - - -
END
