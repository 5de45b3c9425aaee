# Views of the tests of the Go package
VIEW GOACCOUNT
#type	cname	fbname	count	flag	size	null
string	number	-	1	-	20	-
long	cents	-	1	-	-	-
double	rate	-	1	-	-	-
short	limits	-	3	-	-	-
carray	key	-	1	-	8	-
END
