package main

import (
	"context"
	"encoding/binary"
	"io"
	"net"
)

const (
	headerLength = 16
	// Where the name of the command is in an OP_MSG: after the flags, the kind of the section, the length of its
	// document and the type of that document's first element.
	nameOffset = headerLength + 4 + 1 + 4 + 1
	opMsg      = 2013
)

// Commands that look at what there is before they change it.
var writes = map[string]bool{
	"insert": true, "update": true, "delete": true, "findAndModify": true,
	"create": true, "createIndexes": true, "drop": true, "dropDatabase": true,
}

// serve passes every connection on, and has one write under way at a time.
func serve(door net.Listener, socket string) error {
	turn := make(chan struct{}, 1)
	for {
		client, err := door.Accept()
		if err != nil {
			return err
		}
		go pass(client, socket, turn)
	}
}

// pass carries requests in and answers back until one side is gone. As with MongoDB, nothing is begun for a client
// that is gone, and what it was reading is given up: else those who try again wait behind what nobody waits for.
func pass(client net.Conn, socket string, turn chan struct{}) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer server.Close()
	here, leave := context.WithCancel(context.Background())
	defer leave()
	requests := make(chan []byte)
	go func() {
		defer leave()
		for {
			request, err := readMessage(client)
			if err != nil {
				return
			}
			select {
			case requests <- request:
			case <-here.Done():
				return
			}
		}
	}()
	for {
		select {
		case request := <-requests:
			answer, err := answerOf(here, server, request, turn)
			if err != nil {
				return
			}
			if _, err := client.Write(answer); err != nil {
				return
			}
		case <-here.Done():
			return
		}
	}
}

func answerOf(here context.Context, server net.Conn, request []byte, turn chan struct{}) ([]byte, error) {
	if writes[commandOf(request)] {
		select {
		case turn <- struct{}{}:
		case <-here.Done():
			return nil, here.Err()
		}
		// A write that was begun has its turn until it is over.
		defer func() { <-turn }()
	} else {
		defer context.AfterFunc(here, func() { server.Close() })()
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	return readMessage(server)
}

func readMessage(from net.Conn) ([]byte, error) {
	header := make([]byte, headerLength)
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	message := make([]byte, binary.LittleEndian.Uint32(header))
	copy(message, header)
	_, err := io.ReadFull(from, message[headerLength:])
	return message, err
}

func commandOf(message []byte) string {
	if binary.LittleEndian.Uint32(message[12:]) != opMsg || len(message) < nameOffset {
		return ""
	}
	name := message[nameOffset:]
	for end, char := range name {
		if char == 0 {
			return string(name[:end])
		}
	}
	return ""
}
