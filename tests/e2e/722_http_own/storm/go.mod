module storm

go 1.22
