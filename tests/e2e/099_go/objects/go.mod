module objects

go 1.19
