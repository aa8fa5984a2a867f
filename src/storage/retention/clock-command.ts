import { orNull, time } from "../../declare/command/answer-schema.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { type Audited, inTransaction, type WithClock } from "../audited.ts";
import { storeTrail } from "../store-trail.ts";
import { acceptClock } from "./retention-clock.ts";

/** `duba clock accept`: makes retention trust the clock. */
export const clockCommand = command({
  id: "clock.accept",
  title: "Accept the clock",
  summary: "Accept the clock as right, so that what is old by it is removed.",
  description:
    "A service that starts with a clock more than 48 hours from the last time that it knew doubts that clock for " +
    "24 hours: it removes nothing old, but for sealed records of persons, and frees no idempotency key. " +
    "Compare the clock with a watch first: what is removed by it does not come back.",
  role: "officer",
  kind: "change",
  only: "terminal",
  answer: Type.Object({ time, known_until: orNull(time) }),
  view: ({ time, known_until }, { at }) => [
    `The clock is accepted: it is ${at(time)}. The last time that the store knew was ${at(known_until)}. A service removes what is old within an hour.`,
  ],
  records: [storeTrail.clockAccepted],
  run: async (_, { db, audit, actor, now }: Audited & WithClock) =>
    inTransaction(db, async (trx) => {
      const time = now();
      const known_until = await acceptClock(trx, time);
      await audit(trx, storeTrail.clockAccepted(actor, { time, known_until }));
      return { time, known_until };
    }),
});
