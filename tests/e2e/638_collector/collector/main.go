// SPDX-License-Identifier: Apache-2.0

// A collector of OpenTelemetry as it is released, with the receiver of OTLP, and
// with an exporter that writes what the pipeline has understood: a line of JSON
// for each batch. (The file exporter is in a module of a hundred others.)
package main

import (
	"context"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

type config struct {
	Path string `mapstructure:"path"`
}

func write(path string, line []byte, err error) error {
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}

func traces(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Traces, error) {
	path := c.(*config).Path
	return exporterhelper.NewTraces(ctx, set, c, func(_ context.Context, t ptrace.Traces) error {
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(t)
		return write(path, line, err)
	})
}

func metrics(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Metrics, error) {
	path := c.(*config).Path
	return exporterhelper.NewMetrics(ctx, set, c, func(_ context.Context, m pmetric.Metrics) error {
		line, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(m)
		return write(path, line, err)
	})
}

func factories() (otelcol.Factories, error) {
	var err error
	f := otelcol.Factories{Telemetry: otelconftelemetry.NewFactory()}
	f.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err == nil {
		f.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](exporter.NewFactory(
			component.MustNewType("lines"),
			func() component.Config { return &config{} },
			exporter.WithTraces(traces, component.StabilityLevelStable),
			exporter.WithMetrics(metrics, component.StabilityLevelStable)))
	}
	return f, err
}

func main() {
	set := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: "0"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				DefaultScheme:     "file",
				ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
			},
		},
	}
	if err := otelcol.NewCommand(set).Execute(); err != nil {
		log.Fatal(err)
	}
}
