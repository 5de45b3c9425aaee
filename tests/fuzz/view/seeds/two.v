VIEW A
long a F 3 FSC - -1
END
VIEW B
string b F 2 FSLP 10 "-*"
char c - 1 N - '\0'
float d - 1 - - NONE
END
