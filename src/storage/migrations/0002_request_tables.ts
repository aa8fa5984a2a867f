/** The columns of the request log, as in `0001_tables.ts`. */
export const requestTables = {
  /** An answer to a caller with a key. Holds nothing of the request but its id. */
  api_request: {
    /** Of the process that answered, in its order. */
    serial: "text key",
    account_id: "text",
    mode: "text",
    written_at: "bigint",
    /** As the answer named it. A caller may choose it, and repeat it. */
    request_id: "text",
    key_id: "text",
    operation: "text",
    status: "integer",
    /** Failure code. */
    code: "text?",
    /** Milliseconds from the request's headers to its answer. */
    duration: "integer",
    /** Reference of the verification. */
    reference: "text?",
    answered_at: "bigint",
  },
} as const;
