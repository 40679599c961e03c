package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log, err := os.ReadFile(filepath.Join(os.Getenv("MCPMARK_START_DIR"), "log.txt"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	answer, err := os.ReadFile(filepath.Join(os.Getenv("FILESYSTEM_TEST_DIR"), "answer.txt"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "answer.txt is missing")
		os.Exit(1)
	}
	given, err := strconv.Atoi(strings.TrimSpace(string(answer)))
	if err != nil || given != bytes.Count(log, []byte("\n")) {
		fmt.Println("✗ answer.txt has the number of lines")
		os.Exit(1)
	}
	fmt.Println("✓ answer.txt has the number of lines")
}
