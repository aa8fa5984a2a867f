import type { Worker } from "node:cluster";

/** A message of Node's cluster module. */
interface Internal {
  act?: string;
  seq?: number;
  /** The `seq` of the message that this one replies to. */
  ack?: number;
}

/**
 * If a worker dies before it took a connection, another worker gets that connection; without another worker the
 * connection is closed. Node would wait for the dead worker's reply, and the caller for ever: see `handoff` in Node's
 * lib/internal/cluster/round_robin_handle.js.
 */
export function rescueConnections(worker: Worker, hasOthers: () => boolean): void {
  const { process: child } = worker;
  const handedOver = new Set<number>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: unknown, ...rest: unknown[]) => {
    const { act, seq } = message as Internal;
    if (act === "newconn") handedOver.add(seq!);
    return send(message, ...rest);
  };
  child.on("internalMessage", ({ ack }: Internal) => handedOver.delete(ack!));
  // At this event the worker has exited and all its replies are read, so Node gives it no more connections.
  child.once("close", () => {
    const accepted = !hasOthers();
    for (const ack of handedOver) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted });
  });
}
