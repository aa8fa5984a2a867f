import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import type { Opened, Opening, Request, StoreResponse } from "./messages.ts";
import { failureOf, SharedConnection } from "./shared-connection.ts";

/**
 * The SQLite thread. It receives an `Opening`, opens that connection, reports that, then serves one request at a time.
 */

const port = parentPort!;

function serve(connection: SharedConnection): void {
  port.on("message", (request: Request) => {
    let reply: StoreResponse;
    try {
      reply = connection.answer(request);
    } catch (error) {
      reply = [failureOf(error)];
    }
    port.postMessage(reply);
    if (request.kind === "close") port.close();
  });
}

const [opening] = (await once(port, "message")) as [Opening];
let opened: Opened = null;
try {
  serve(new SharedConnection(opening));
} catch (error) {
  opened = failureOf(error);
}
port.postMessage(opened);
