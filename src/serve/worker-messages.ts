/** What a worker tells its supervisor. */
export type FromWorker =
  | { kind: "alive" }
  /** It listens. */
  | { kind: "ready"; url: string }
  | { kind: "metrics"; asked: number; text: string };

/** What a supervisor tells a worker. It stops one with a signal. */
export type ToWorker =
  /** Its successor listens: it ends when its callers have gone over. */
  { kind: "hand over" } | { kind: "metrics"; asked: number };

/** The environment variable in which a worker finds its place: 1 to the number of workers. */
export const placeName = "WORKER_PLACE";

/** Milliseconds between two signs of life. */
export const aliveEvery = 1000;
