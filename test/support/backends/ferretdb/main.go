// A MongoDB-protocol server for tests: FerretDB with its SQLite back end, behind a door that lets writes in one by one.
//
// FerretDB reads, compares and then writes, so that two updates of one document can overwrite each other. MongoDB
// changes a document in one step. The door gives the tests what a MongoDB promises, and nothing more.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	directory := flag.String("directory", "", "where the data lives")
	listen := flag.String("listen", "127.0.0.1:0", "the address to listen on")
	flag.Parse()
	if err := run(*directory, *listen); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(directory, listen string) error {
	// Behind the door it needs no port of its own.
	socket := filepath.Join(directory, "ferretdb.sock")
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return err
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Handler:   "sqlite",
		SQLiteURL: "file:" + directory + "/",
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return err
	}
	door, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	failed := make(chan error, 3)
	go func() { failed <- server.Run(context.Background()) }()
	go func() { failed <- serve(door, socket) }()
	// It ends with whoever started it, however that ends.
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		failed <- err
	}()
	fmt.Printf("listening on %s\n", door.Addr())
	return <-failed
}
