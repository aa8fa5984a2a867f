import type { Rank } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { settingOf } from "../../config/read-config.ts";
import { isoOf } from "../../declare/command/answer-schema.ts";
import type { Log } from "../../runtime/log.ts";
import { addressList } from "../../runtime/network/address.ts";
import { sendDelivery } from "../../runtime/network/send-delivery.ts";
import { operators } from "../../storage/events/announce.ts";
import { insertIfNew, upsert } from "../../storage/queries/upsert.ts";
import { alarmSettings } from "./alarm-settings.ts";
import { openAlarms } from "./read-health.ts";
import { type WritingRoom, type WrittenAlarm, writtenAlarms } from "./written-alarms.ts";

/** So long nobody else tells what one process is about to tell. Milliseconds. */
const claimTime = 60_000;
/** Name of what was told, in the store. */
const name = "alarms-told";

type ToldAlarm = Pick<WrittenAlarm, "name" | "rank" | "what" | "since">;

/** The alarms that somebody was told of, by name. `isSoonTold`: what will be soon was told too. */
type Told = Record<string, ToldAlarm & { isSoonTold: boolean }>;

/** What `DUBA_ALARM_URL` gets. Chat services show the text. */
export interface AlarmMessage {
  text: string;
  rank: Rank;
  /** ISO 8601. Null: nobody knows. */
  since: string | null;
  /** The alarm in the console. Absent without a console. */
  link?: string;
}

interface Note {
  told: Told;
  /** Until when another process tells, in milliseconds since 1970. */
  claimedUntil: number;
}

/** What is wrong while nobody can read what is. */
const storeAway: ToldAlarm & { soon?: undefined } = {
  name: "store",
  rank: 1,
  since: null,
  what: "The store does not answer, so each verification is answered 500. See the log of the service.",
};

type TellingRoom = Omit<WritingRoom, "accounts"> & Pick<CommandContext, "consoleOrigin">;

/**
 * Sends a text to `DUBA_ALARM_URL` when an alarm opens or closes, and when it says what will be soon. Of several
 * processes one sends it; a text may come twice if that one dies meanwhile. Texts name accounts by their ids. It sends
 * alarms also while the store takes no writes.
 */
export class AlarmTeller {
  readonly #room: TellingRoom;
  readonly #send: (message: AlarmMessage) => Promise<boolean>;
  #told: Told = {};

  /** `send` says whether the message arrived. */
  constructor(room: TellingRoom, send: (message: AlarmMessage) => Promise<boolean>) {
    this.#room = room;
    this.#send = send;
  }

  async look(): Promise<void> {
    const accounts = { emails: async () => (id: string) => id };
    const open = await openAlarms(this.#room)
      .then((alarms) => writtenAlarms(alarms, { ...this.#room, accounts }))
      .catch(() => [storeAway]);
    const [text, note] = await this.#read();
    if (note.claimedUntil > this.#room.now()) return;
    const opened = open.filter(({ name }) => !(name in note.told));
    const ending = open.filter(({ name, soon }) => soon && note.told[name]?.isSoonTold === false);
    const closed = Object.entries(note.told).filter(([alarm]) => !open.some(({ name }) => name === alarm));
    if (opened.length + ending.length + closed.length === 0) return;
    const claimed = JSON.stringify({ told: note.told, claimedUntil: this.#room.now() + claimTime });
    if (!(await this.#replace(text, claimed))) return;
    const told = { ...note.told };
    const tell = (alarm: ToldAlarm, text: string) => this.#send(this.#messageOf(alarm, text));
    for (const { name, rank, what, since } of opened) {
      const alarm = { name, rank, what, since };
      if (await tell(alarm, what)) told[name] = { ...alarm, isSoonTold: false };
    }
    for (const { name, soon } of ending)
      if (await tell(told[name]!, soon!)) told[name] = { ...told[name]!, isSoonTold: true };
    for (const [name, alarm] of closed) if (await tell(alarm, `over: ${alarm.what}`)) delete told[name];
    this.#told = told;
    await this.#replace(claimed, JSON.stringify({ told, claimedUntil: 0 }));
  }

  #messageOf({ name, rank, since }: ToldAlarm, text: string): AlarmMessage {
    const origin = this.#room.consoleOrigin;
    const link = `${origin}/alarms/list?${new URLSearchParams({ _find: name })}`;
    return { text: `Duba: ${text}`, rank, since: isoOf(since), ...(origin !== undefined && { link }) };
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
      const row = { value, created_at: now() };
      if (before === undefined) return await insertIfNew(db, "fact", { name }, row);
      return await upsert(db, "fact", { name }, row, { value: before });
    } catch {
      return true;
    }
  }
}

/** Tells `DUBA_ALARM_URL`. */
export function alarmTeller({ log, ...room }: TellingRoom & { log: Log }): AlarmTeller {
  const url = settingOf(room.config, alarmSettings.alarmUrl);
  const networks = addressList(room.config.eventNetworks);
  const send = async (message: AlarmMessage) => {
    const delivery = { url, owner: operators, body: JSON.stringify(message), headers: {}, allowsPlain: false };
    const { delivered, outcome } = await sendDelivery(delivery, { networks });
    if (!delivered) log.warn({ outcome }, "An alarm could not be sent to DUBA_ALARM_URL; we try again");
    return delivered;
  };
  return new AlarmTeller(room, send);
}
