/** One problem of one parameter. A failure lists all problems of a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** Optional parts of a failure beyond its code and message. */
export interface FailureDetail {
  fields?: FieldError[];
  /** The `Retry-After` header, in whole seconds. */
  retryAfter?: number;
  /** Overrides the failure's own value. Example: our account at the vendor is empty, so a retry cannot help. */
  retryable?: boolean;
  headers?: Record<string, string>;
  /** Further members of `error`, such as `charged` for a verification. */
  facts?: Record<string, unknown>;
  /**
   * A request with a test key chose this failure by a number of the sandbox or by `Duba-Scenario`. Metrics count it
   * apart from errors of the service.
   */
  rehearsed?: true;
  /** Fields of the log line that the caller does not see: codes and ids only. */
  logged?: Record<string, unknown>;
}
