/** The messages of a worker to its supervisor. */
export type FromWorker =
  | { kind: "alive" }
  /** The worker listens. */
  | { kind: "ready"; url: string }
  | { kind: "metrics"; asked: number; text: string };

/** The messages of a supervisor to a worker. To stop a worker, the supervisor sends a signal instead. */
export type ToWorker =
  /** The worker's successor listens. The worker ends when its callers have moved to the successor. */
  { kind: "hand over" } | { kind: "metrics"; asked: number };

/** The environment variable with a worker's place: a number from 1 to the number of workers. */
export const placeName = "WORKER_PLACE";

/** Milliseconds between two signs of life. */
export const aliveEvery = 1000;
