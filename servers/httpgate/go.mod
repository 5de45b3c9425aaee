module onewake.example/httpgate

go 1.22

require onewake.example/go v0.0.0

replace onewake.example/go => ../../bindings/go
