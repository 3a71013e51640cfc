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
	verifier, err := note.NewVerifier(logKey)
	if err != nil {
		log.Fatal(err)
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		log.Fatal(err)
	}
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		log.Fatal(err)
	}
	return tlog.Tree{N: size, Hash: root}
}

func main() {
	folder := filepath.Join(os.Args[1], "log")
	checkpoint, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		log.Fatal(err)
	}
	tree := open(checkpoint, os.Args[2])
	hashes := tlog.TileHashReader(tree, tiles{folder})
	for bundle := int64(0); bundle*256 < tree.N; bundle++ {
		width := tree.N - bundle*256
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: bundle, W: int(width)}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			log.Fatal(err)
		}
		for at := int64(0); at < width; at++ {
			length := int(binary.BigEndian.Uint16(data))
			entry := data[2 : 2+length]
			data = data[2+length:]
			stored, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, bundle*256+at)})
			if err != nil {
				log.Fatal(err)
			}
			if stored[0] != tlog.RecordHash(entry) {
				log.Fatalf("entry %d does not have the hash of its tile", bundle*256+at)
			}
		}
		if len(data) != 0 {
			log.Fatal("a bundle has more than its entries")
		}
	}
	checkProof(os.Args[3], os.Args[2])
	fmt.Printf("%d entries, proof and checkpoint hold\n", tree.N)
}

func checkProof(file, logKey string) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	head, checkpoint, _ := bytes.Cut(text, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(lines[1], "extra ") {
		log.Fatal("not a proof")
	}
	entry, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		log.Fatal(err)
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			log.Fatal(err)
		}
		proof = append(proof, hash)
	}
	tree := open(checkpoint, logKey)
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
		log.Fatal(err)
	}
}
