// Reads a log from a folder with golang.org/x/mod/sumdb, which knows nothing of this project: the checkpoint as a
// signed note, the tree from tiles of height 8, every entry by its record hash, and a .tlog-proof file.
// Usage: verifier STORE LOG-VKEY PROOF
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

type tiles struct{ folder string }

func (t tiles) Height() int                           { return 8 }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		// x/mod writes the height into the path: tile/8/0/000; C2SP leaves it out.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(t.folder, path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func open(text []byte, logKey string) tlog.Tree {
	opened := must(note.Open(text, note.VerifierList(must(note.NewVerifier(logKey)))))
	lines := strings.Split(opened.Text, "\n")
	return tlog.Tree{N: must(strconv.ParseInt(lines[1], 10, 64)), Hash: must(tlog.ParseHash(lines[2]))}
}

func main() {
	folder := filepath.Join(os.Args[1], "log")
	tree := open(must(os.ReadFile(filepath.Join(folder, "checkpoint"))), os.Args[2])
	hashes := tlog.TileHashReader(tree, tiles{folder})
	for bundle := int64(0); bundle*256 < tree.N; bundle++ {
		width := tree.N - bundle*256
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: bundle, W: int(width)}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		data := must(os.ReadFile(filepath.Join(folder, path)))
		indexes := make([]int64, width)
		for at := range indexes {
			indexes[at] = tlog.StoredHashIndex(0, bundle*256+int64(at))
		}
		for at, stored := range must(hashes.ReadHashes(indexes)) {
			length := int(binary.BigEndian.Uint16(data))
			if stored != tlog.RecordHash(data[2:2+length]) {
				log.Fatalf("entry %d does not have the hash of its tile", bundle*256+int64(at))
			}
			data = data[2+length:]
		}
		if len(data) != 0 {
			log.Fatal("a bundle has more than its entries")
		}
	}
	checkProof(os.Args[3], os.Args[2])
	fmt.Printf("%d entries, proof and checkpoint hold\n", tree.N)
}

func checkProof(file, logKey string) {
	head, checkpoint, _ := bytes.Cut(must(os.ReadFile(file)), []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(lines[1], "extra ") {
		log.Fatal("not a proof")
	}
	entry := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra ")))
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64))
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		proof = append(proof, must(tlog.ParseHash(line)))
	}
	tree := open(checkpoint, logKey)
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
		log.Fatal(err)
	}
}
