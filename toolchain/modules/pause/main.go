// Command pause is a pod's first container: it holds the pod's namespaces until it is told to end.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Stamped at the build.
var version = "unknown"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-v" {
		fmt.Println("pause", version)
		return
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	for {
		reap()
		select {
		case <-told:
			return
		case <-ended:
		}
	}
}

// reap collects every child that has ended. In a pod with one process namespace this is PID 1, and the kernel gives
// it the orphans of all containers. One SIGCHLD may stand for several children.
func reap() {
	for {
		child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != syscall.EINTR && child <= 0 {
			return
		}
	}
}
