module onewake.example/httpgate

go 1.22

require (
	github.com/coder/websocket v1.8.12
	github.com/go-jose/go-jose/v4 v4.0.5
	github.com/sony/gobreaker/v2 v2.0.0
	go.etcd.io/bbolt v1.3.11
	golang.org/x/crypto v0.33.0
	golang.org/x/oauth2 v0.26.0
	golang.org/x/sync v0.11.0
	golang.org/x/sys v0.30.0
	gopkg.in/yaml.v3 v3.0.1
	onewake.example/go v0.0.0
)

replace onewake.example/go => ../../bindings/go
