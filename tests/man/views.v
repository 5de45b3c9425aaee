# The structure of the examples of section 3.
VIEW CUSTOMER
long account T_COUNT 1 FS - -1
string name NAME 1 FS 20 -
END

VIEW LIST
long number T_COUNT 5 CFS - -1
END

VIEW STRANGER
long number T_NOBODY 1 FS - -1
END
