/** The columns of the tables of events, as in `0001_tables.ts`. */
export const eventTables = {
  /** Something that happened, for accounts or operators. It holds ids and states only, and never changes. */
  event: {
    /** In the order of the commits, without a gap. */
    number: "bigint key",
    /** Its public name. */
    id: "text",
    type: "text",
    /** An account, `accounts` or `operators`. */
    audience: "text",
    /** Null: it concerns both modes. */
    mode: "text?",
    /** Recognises the events about one subject. */
    about: "text",
    at: "bigint",
    /** JSON. */
    data: "text",
  },

  /** Where events are sent. */
  event_endpoint: {
    id: "text key",
    /** An account, or `operators`. */
    audience: "text",
    /** Null: of operators. */
    mode: "text?",
    url: "text",
    /** JSON: the types of events that it wants. An empty list: all. */
    types: "text",
    /** Sealed with a record key of the ring. */
    secret: "text",
    /** The secret before the last roll, which signs too until `former_ends_at`. */
    former_secret: "text?",
    former_ends_at: "bigint?",
    created_at: "bigint",
    /** Nothing is sent before this time. */
    next_at: "bigint",
    /** The process that sends to it now, and until when nobody else may. */
    lease_owner: "text?",
    leased_until: "bigint",
  },

  /** An event for an endpoint. */
  event_delivery: {
    endpoint_id: "text key",
    /** Of the event. */
    number: "bigint key",
    /** In the endpoint's queue. */
    place: "bigint",
    state: "text",
    attempts: "integer",
    /** When a failure is the last one. */
    give_up_at: "bigint",
    tried_at: "bigint?",
    /** An HTTP status or a code of ours, never the receiver's text. */
    outcome: "text?",
  },
} as const;
