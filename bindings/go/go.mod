module onewake.example/go

go 1.19
