module goledger

go 1.19

require onewake.example/go v0.0.0

replace onewake.example/go => ../../../bindings/go
