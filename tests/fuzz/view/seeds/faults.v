VIEW A
long a - 99999 - - -
END
VIEW
# comment
$ text
