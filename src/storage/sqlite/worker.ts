import { parentPort } from "node:worker_threads";
import type { Opened, Opening, Request, StoreResponse } from "./messages.ts";
import { failureOf, SharedConnection } from "./shared-connection.ts";

/**
 * The SQLite thread. It gets an `Opening`, opens the connection, and serves one request at a time until the connection
 * is closed. Then it waits for the next `Opening`.
 */

const port = parentPort!;
let connection: SharedConnection | undefined;

port.on("message", (message: Opening | Request) => {
  if ("file" in message) port.postMessage(open(message));
  else port.postMessage(answer(message));
});

function open(opening: Opening): Opened {
  try {
    connection = new SharedConnection(opening);
    return null;
  } catch (error) {
    return failureOf(error);
  }
}

function answer(request: Request): StoreResponse {
  try {
    return connection!.answer(request);
  } catch (error) {
    return [failureOf(error)];
  }
}
