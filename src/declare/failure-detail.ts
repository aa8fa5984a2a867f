/** One problem of one parameter; all problems of a request are reported together. */
export interface FieldError {
  field: string;
  message: string;
}

/** Optional parts of a failure beyond its code and message. */
export interface FailureDetail {
  fields?: FieldError[];
  /** Whole seconds for `Retry-After`. */
  retryAfter?: number;
  /** Overrides the table, for example when our account at the vendor has no money and a retry cannot help. */
  retryable?: boolean;
  headers?: Record<string, string>;
  /** Members added to `error`, such as `charged` of a verification. */
  facts?: Record<string, unknown>;
  /** The sandbox fails because a test key asks it to: this is no problem of the service. */
  rehearsed?: true;
  /** Fields of the log line, which the caller does not see: codes and ids. */
  logged?: Record<string, unknown>;
}
