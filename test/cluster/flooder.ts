import { connect, type Socket } from "node:net";
import { workerData } from "node:worker_threads";

/**
 * A thread that sends `text` over this number of connections as fast as possible. A new connection replaces each one
 * that is cut.
 */
const { port, connections, text } = workerData as { port: number; connections: number; text: string };

function flood(): void {
  const socket: Socket = connect(port, "127.0.0.1");
  const send = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket
    .on("connect", send)
    .on("drain", send)
    .on("error", () => undefined)
    .resume();
  socket.once("close", () => setTimeout(flood, 10));
}

for (let n = 0; n < connections; n += 1) flood();
