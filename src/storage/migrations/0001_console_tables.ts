/** The columns of the tables behind the operators' console, as in `0001_tables.ts`. */
export const consoleTables = {
  /** Somebody who may use the console. */
  person: {
    id: "text key",
    /** In lower case. */
    email: "text",
    name: "text",
    role: "text",
    /** An actor of the audit trail. */
    invited_by: "text",
    created_at: "bigint",
    last_seen_at: "bigint?",
  },

  /** A link that registers a passkey, once. A person has one at most. */
  person_invitation: { person_id: "text key", secret_hash: "text", expires_at: "bigint" },

  /** The public half of a person's passkey. */
  passkey: {
    /** As the browser names it. */
    id: "text key",
    person_id: "text",
    /** CBOR in base64url. */
    public_key: "text",
    counter: "bigint",
    /** JSON. */
    transports: "text",
    created_at: "bigint",
  },

  /** A question to a passkey, which is deleted with its answer. */
  passkey_challenge: {
    challenge: "text key",
    /** `sign-in`, or what else it is for and for whom. */
    purpose: "text",
    expires_at: "bigint",
  },

  console_session: { secret_hash: "text key", person_id: "text", created_at: "bigint", seen_at: "bigint" },

  /** Answers in one minute, by operation and status. `minute_outcome` took its place. */
  minute_count: {
    minute: "bigint key",
    /** The process that counted. */
    instance: "text key",
    operation: "text key",
    status: "integer key",
    answers: "integer",
  },
} as const;
