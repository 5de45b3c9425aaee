// SPDX-License-Identifier: Apache-2.0

package idem

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// States of a key. A record is on disk before the call is made, and again with its
// answer before the answer is sent:
//
//	absent -> begun -> done          the answer is kept
//	          begun -> absent        nothing was done: it may be tried again
//
// A record that is begun, and of no request that this process has in hand, is in doubt:
// the gate died, or could not write. It stays so until its time is over.
const (
	begun = "begun"
	done  = "done"
)

// record is what is kept of a key.
type record struct {
	State   string      `json:"state"`
	Print   []byte      `json:"print"` // of the request: another one has another
	Since   int64       `json:"since"` // ns
	Expires int64       `json:"expires"`
	Status  int         `json:"status,omitempty"`
	Header  http.Header `json:"header,omitempty"`
	Large   bool        `json:"large,omitempty"` // the answer was too large to be kept
	body    []byte
}

func (r *record) expired(now time.Time) bool {
	return now.UnixNano() >= r.Expires
}

// encode: the length of the head, the head as JSON, the body as it is.
func (r *record) encode() ([]byte, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(r.body)), uint32(len(head)))
	return append(append(b, head...), r.body...), nil
}

func decode(b []byte) (*record, error) {
	if len(b) < 4 || int(binary.BigEndian.Uint32(b)) > len(b)-4 {
		return nil, errors.New("a record is damaged")
	}
	n := 4 + int(binary.BigEndian.Uint32(b))
	r := &record{}
	err := json.Unmarshal(b[4:n], r)
	r.body = bytes.Clone(b[n:])
	return r, err
}

// store has the records in one file, which one process has open at a time.
type store struct {
	db  *bolt.DB
	max int
}

var (
	byKey  = []byte("keys")    // id -> record
	byTime = []byte("expires") // time, id -> nothing
)

var errFull = errors.New("too many keys are kept")

const (
	// How long a gate waits for the file of one that ends.
	lockTime = 10 * time.Second
	// Requests that come within are on disk by one write.
	groupTime  = time.Millisecond
	recordsMax = 1000000
)

func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "idempotency.db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTime, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.MaxBatchDelay = groupTime
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{byKey, byTime} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return &store{db: db, max: recordsMax}, nil
}

func timeKey(expires int64, id []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(expires)), id...)
}

// begin writes the record if there is none: nil, it is begun, and on disk; else the one
// that is there.
func (s *store) begin(id []byte, r *record, now time.Time) (had *record, err error) {
	text, err := r.encode()
	if err != nil {
		return nil, err
	}
	err = s.db.Batch(func(tx *bolt.Tx) error {
		had = nil
		keys := tx.Bucket(byKey)
		if b := keys.Get(id); b != nil {
			old, err := decode(b)
			if err != nil {
				return err
			}
			if !old.expired(now) {
				had = old
				return nil
			}
			if err := tx.Bucket(byTime).Delete(timeKey(old.Expires, id)); err != nil {
				return err
			}
		} else if int(keys.Sequence()) >= s.max {
			return errFull
		} else if err := keys.SetSequence(keys.Sequence() + 1); err != nil {
			return err
		}
		if err := keys.Put(id, text); err != nil {
			return err
		}
		return tx.Bucket(byTime).Put(timeKey(r.Expires, id), []byte{})
	})
	return had, err
}

// end writes the answer over the record that begin() has written.
func (s *store) end(id []byte, r *record) error {
	text, err := r.encode()
	if err != nil {
		return err
	}
	return s.db.Batch(func(tx *bolt.Tx) error {
		keys := tx.Bucket(byKey)
		if keys.Get(id) == nil {
			return nil // its time was over before its request was
		}
		return keys.Put(id, text)
	})
}

func remove(tx *bolt.Tx, expires int64, id []byte) error {
	keys := tx.Bucket(byKey)
	if keys.Get(id) == nil {
		return tx.Bucket(byTime).Delete(timeKey(expires, id))
	}
	if err := keys.Delete(id); err != nil {
		return err
	}
	if err := keys.SetSequence(max(keys.Sequence(), 1) - 1); err != nil {
		return err
	}
	return tx.Bucket(byTime).Delete(timeKey(expires, id))
}

// drop removes a record: nothing was done.
func (s *store) drop(id []byte, r *record) error {
	return s.db.Batch(func(tx *bolt.Tx) error { return remove(tx, r.Expires, id) })
}

// sweep removes records whose time is over, some at a time: how many.
func (s *store) sweep(now time.Time) (n int, err error) {
	const some = 1000
	err = s.db.Update(func(tx *bolt.Tx) error {
		var gone [][]byte
		for c, k := tx.Bucket(byTime).Cursor(), []byte(nil); ; {
			if k == nil {
				k, _ = c.First()
			} else {
				k, _ = c.Next()
			}
			if k == nil || len(gone) >= some || int64(binary.BigEndian.Uint64(k)) > now.UnixNano() {
				break
			}
			gone = append(gone, bytes.Clone(k))
		}
		for _, k := range gone {
			if err := remove(tx, int64(binary.BigEndian.Uint64(k)), k[8:]); err != nil {
				return err
			}
		}
		n = len(gone)
		return nil
	})
	return n, err
}
