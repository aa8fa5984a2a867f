import { sendDelivery } from "../../events/send-delivery.ts";
import type { Log } from "../../runtime/log.ts";
import { addressList } from "../../runtime/network/address.ts";
import type { Alarm } from "./alarms.ts";
import type { AlarmRoom } from "./health-facts.ts";
import { openAlarms } from "./read-health.ts";

/** So long nobody else tells what one process is about to tell. Milliseconds. */
const claimTime = 60_000;
/** What is wrong while nobody can read what is. */
const storeAway: Pick<Alarm, "name" | "what" | "soon"> = {
  name: "store",
  what: "The store does not answer, so each verification is answered 500. See the log of the service.",
};
/** Name of what was told, in the store. */
const name = "alarms-told";

/** The alarms that somebody was told of, by name. `soon`: what will be soon was told too. */
type Told = Record<string, { what: string; soon: boolean }>;

interface Note {
  told: Told;
  /** Until when another process tells, in milliseconds since 1970. */
  claimedUntil: number;
}

type TellingRoom = Omit<AlarmRoom, "accounts">;

/**
 * Sends a text to `DUBA_ALARM_URL` when an alarm opens or closes, and when it says what will be soon. Of several processes one tells it; a text may come twice if that
 * one dies meanwhile. Texts name accounts by their ids. What happens while the store takes no writes is told too.
 */
export class AlarmTeller {
  readonly #room: TellingRoom;
  readonly #send: (text: string) => Promise<boolean>;
  #told: Told = {};

  /** `send` says whether the text arrived. */
  constructor(room: TellingRoom, send: (text: string) => Promise<boolean>) {
    this.#room = room;
    this.#send = send;
  }

  async look(): Promise<void> {
    const open = await openAlarms(this.#room).catch(() => [storeAway]);
    const [text, note] = await this.#read();
    if (note.claimedUntil > this.#room.now()) return;
    const opened = open.filter(({ name }) => !(name in note.told));
    const ending = open.filter(({ name, soon }) => soon && note.told[name]?.soon === false);
    const closed = Object.entries(note.told).filter(([alarm]) => !open.some(({ name }) => name === alarm));
    if (opened.length + ending.length + closed.length === 0) return;
    const claimed = JSON.stringify({ told: note.told, claimedUntil: this.#room.now() + claimTime });
    if (!(await this.#replace(text, claimed))) return;
    const told = { ...note.told };
    for (const { name, what } of opened) if (await this.#send(`Duba: ${what}`)) told[name] = { what, soon: false };
    for (const { name, soon, what } of ending) if (await this.#send(`Duba: ${soon}`)) told[name] = { what, soon: true };
    for (const [alarm, { what }] of closed) if (await this.#send(`Duba: over: ${what}`)) delete told[alarm];
    this.#told = told;
    await this.#replace(claimed, JSON.stringify({ told, claimedUntil: 0 }));
  }

  /** What the store has, or this process if the store is away. */
  async #read(): Promise<[text: string | undefined, note: Note]> {
    const noted = this.#room.db.selectFrom("fact").select("value").where("name", "=", name);
    const text = await noted.executeTakeFirst().then(
      (row) => row?.value,
      () => undefined,
    );
    return [text, text === undefined ? { told: this.#told, claimedUntil: 0 } : JSON.parse(text)];
  }

  /** False if another process was faster. A store that takes no writes keeps nobody from telling. */
  async #replace(before: string | undefined, value: string): Promise<boolean> {
    const { db, now } = this.#room;
    try {
      if (before === undefined)
        await db
          .insertInto("fact")
          .values({ name, value: "", created_at: now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      const { numUpdatedRows } = await db
        .updateTable("fact")
        .set({ value, created_at: now() })
        .where("name", "=", name)
        .where("value", "=", before ?? "")
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    } catch {
      return true;
    }
  }
}

/** Tells `DUBA_ALARM_URL`. */
export function alarmTeller({ log, ...room }: TellingRoom & { log: Log }): AlarmTeller {
  const { alarmUrl: url, alarmNetworks } = room.config;
  const networks = addressList(alarmNetworks);
  const send = async (text: string) => {
    const delivery = { url, body: JSON.stringify({ text }), headers: {}, allowsPlain: false };
    const { delivered, outcome } = await sendDelivery(delivery, { networks });
    if (!delivered) log.warn({ outcome }, "An alarm could not be sent to DUBA_ALARM_URL; we try again");
    return delivered;
  };
  return new AlarmTeller(room, send);
}
