import cluster from "node:cluster";
import type { Config } from "../config/read-config.ts";

/**
 * Serves until SIGTERM or SIGINT and returns the exit code. With `DUBA_WORKERS` on PostgreSQL this process supervises
 * workers. Each worker runs the identical command line, so it calls this function as well.
 */
export async function serve(config: Config, ready?: (url: string) => void): Promise<number> {
  if (cluster.isWorker) {
    const { serveAsWorker } = await import("./serving-worker.ts");
    return serveAsWorker(config);
  }
  if (config.workers !== null && config.databaseUrl) {
    const { supervise } = await import("./supervise.ts");
    return supervise(config, config.workers);
  }
  if (!config.databaseUrl) (await import("../storage/sqlite/thread.ts")).startThreadAhead();
  const { runService } = await import("./run-service.ts");
  return runService(config, ready);
}
