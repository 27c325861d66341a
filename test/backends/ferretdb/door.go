package main

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
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
	var turn sync.Mutex
	for {
		client, err := door.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer server.Close()
			for exchange(client, server, &turn) == nil {
			}
		}()
	}
}

// exchange passes one message on, and the answer back.
func exchange(client, server net.Conn, turn *sync.Mutex) error {
	request, err := readMessage(client)
	if err != nil {
		return err
	}
	answer, err := answerOf(server, request, turn)
	if err != nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

func answerOf(server net.Conn, request []byte, turn *sync.Mutex) ([]byte, error) {
	if writes[commandOf(request)] {
		turn.Lock()
		defer turn.Unlock()
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
