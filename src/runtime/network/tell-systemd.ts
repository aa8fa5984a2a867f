import { spawn } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import type { Log } from "../log.ts";

/**
 * Tells systemd whether this service is ready or stopping, if a unit with `Type=notify` started it. Node cannot open
 * systemd's socket, so systemd's own program sends the message. Never rejects. Only the supervisor sends messages, not
 * its workers.
 */
export async function tellSystemd(state: "READY=1" | "STOPPING=1", log: Pick<Log, "warn">): Promise<void> {
  if (!process.env.NOTIFY_SOCKET || cluster.isWorker) return;
  try {
    const [code] = await once(spawn("systemd-notify", [state], { stdio: "ignore" }), "exit");
    if (code !== 0) throw new Error(`exit code ${code}`);
  } catch (error) {
    log.warn({ reason: (error as Error).message }, `systemd-notify could not tell systemd ${state}`);
  }
}
