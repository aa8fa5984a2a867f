import { happening, naira, reference, state, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { publicStates } from "../public-state.ts";

/** The kinds of entries of a time line. A question is one attempt at a vendor. */
const steps = [
  "asked",
  "question",
  "answer",
  "ended",
  "response",
  "charge",
  "correction",
  "deed",
  "event",
  "delivery",
] as const;

/** One event of a verification's time line, as a sentence and as data. */
export const TimeLineEntry = Type.Object({
  at: time,
  what: Type.String(),
  /** The key, vendor, person or endpoint behind the event. */
  by: Type.String(),
  step: Type.Enum([...steps]),
  key_id: Type.Optional(reference),
  request_id: Type.Optional(reference),
  /** The outcome in an answer, in a question without an answer, and at the end. */
  outcome: Type.Optional(state(publicStates)),
  reason: Type.Optional(Type.String()),
  /** Milliseconds that an answer took. */
  took: Type.Optional(Type.Integer({ unit: "ms" })),
  /** A vendor's bill for an answer, a charge, or the amount of a correction. */
  amount: Type.Optional(naira),
  /** HTTP status of a vendor's answer, or of the response to the client. */
  status: Type.Optional(Type.Integer()),
  event: Type.Optional(happening),
  /** What became of the delivery of an event. */
  delivery: Type.Optional(Type.String()),
});
export type TimeLineEntry = Static<typeof TimeLineEntry>;
