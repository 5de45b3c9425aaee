// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"time"
)

// Load is what waits for a service, and how long its servers take (tpsvcload()).
type Load struct {
	Waiting, Servers int64
	Served           int64         // requests that these servers have served
	Took             time.Duration // all of them together
	Busy             time.Duration // so long all servers are in a request at least; 0: one is free
	Usual            time.Duration // time-out of a call whose ctx has no deadline
}

// Load tells the load of a service of this domain. It waits for nobody: it is asked
// before a call, and must not wait for another one that is out.
func (c *Client) Load(_ context.Context, svc string) (l Load, err error) {
	if err := c.check(context.Background(), svc); err != nil {
		return l, err
	}
	k := c.shared
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return l, notBegun(svc)
	}
	var load C.struct_tpload
	var seconds C.long
	if C.gow_load(k.g, cname(svc), &load, &seconds, &k.g.out) != 0 {
		return l, failed(&k.g.out, svc)
	}
	return Load{Waiting: int64(load.waiting), Servers: int64(load.servers), Served: int64(load.served),
		Took:  time.Duration(load.usec) * time.Microsecond,
		Busy:  time.Duration(load.busy) * time.Microsecond,
		Usual: time.Duration(seconds) * time.Second}, nil
}
