import { hash } from "node:crypto";
import type { Rank } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { settingOf } from "../../config/read-config.ts";
import { isoOf } from "../../declare/command/answer-schema.ts";
import type { Log } from "../../runtime/log.ts";
import { addressList } from "../../runtime/network/address.ts";
import { type Sent, sendDelivery } from "../../runtime/network/send-delivery.ts";
import { operators } from "../../storage/events/announce.ts";
import { insertIfNew, upsert } from "../../storage/queries/upsert.ts";
import { alarmReceivers } from "./alarm-receivers.ts";
import { alarmSettings } from "./alarm-settings.ts";
import { needsHand, openAlarms } from "./read-health.ts";
import { runbookLink } from "./runbook-sections.ts";
import { type WritingRoom, type WrittenAlarm, writtenAlarms } from "./written-alarms.ts";

/** How long a process's claim keeps other processes from sending, in milliseconds. */
const claimTime = 60_000;
/** Name of the fact with the sent messages. */
const toldName = "alarms-told";

type ToldAlarm = Pick<WrittenAlarm, "name" | "rank" | "what" | "since">;

/**
 * Alarms that the receiver knows, by name. `isSoonTold`: the announcement of what comes next was sent too. `toldAt`:
 * time of the last message, in milliseconds since 1970.
 */
type Told = Record<string, ToldAlarm & { isSoonTold: boolean; toldAt?: number }>;

/** A message to a receiver. Chat services show `text`. */
export interface AlarmMessage {
  text: string;
  rank: Rank;
  /** ISO 8601. Null: unknown. */
  since: string | null;
  /** Link to the alarm in the console. Absent without a console. */
  link?: string;
  /** Link to the runbook section. Absent if there is none. */
  runbook?: string;
}

/** The identity of a receiver, and the ranks that it wants. */
interface Wanted {
  /** Each receiver has its own notes, under this id. It is empty for the first receiver, if that wants all ranks. */
  id: string;
  ranks: readonly Rank[];
}

interface Note {
  told: Told;
  /** Until this time another process sends, in milliseconds since 1970. */
  claimedUntil: number;
}

/** The alarm to send while the store cannot be read. */
const storeAway: ToldAlarm & { soon?: undefined; acknowledged: null; endsByItself: boolean } = {
  acknowledged: null,
  endsByItself: false,
  name: "store",
  rank: 1,
  since: null,
  what: "The store does not answer, so each verification is answered 500. See the log of the service.",
};

type TellingRoom = Omit<WritingRoom, "accounts"> & Pick<CommandContext, "consoleOrigin">;

/**
 * Sends a receiver a message when an alarm opens or closes, repeats it while the alarm needs a hand, and announces what
 * comes soon. One of several processes sends it; if that process dies, a message may come twice. Messages name accounts
 * by id. Works also while the store refuses writes.
 */
export class AlarmTeller {
  readonly #room: TellingRoom;
  readonly #send: (message: AlarmMessage) => Promise<boolean>;
  readonly #name: string;
  readonly #ranks: readonly Rank[];
  #told: Told = {};

  /** `send`: resolves to whether the message arrived. */
  constructor(
    room: TellingRoom,
    send: (message: AlarmMessage) => Promise<boolean>,
    { id, ranks }: Wanted = { id: "", ranks: [1, 2, 3] },
  ) {
    this.#room = room;
    this.#send = send;
    this.#name = id === "" ? toldName : `${toldName}:${id}`;
    this.#ranks = ranks;
  }

  async look(): Promise<void> {
    const accounts = { emails: async () => (id: string) => id };
    const all = await openAlarms(this.#room)
      .then((alarms) => writtenAlarms(alarms, { ...this.#room, accounts }))
      .catch(() => [storeAway]);
    const open = all.filter(({ rank }) => this.#ranks.includes(rank));
    const [text, note] = await this.#read();
    if (note.claimedUntil > this.#room.now()) return;
    const opened = open.filter(({ name }) => !(name in note.told));
    const ending = open.filter(({ name, soon }) => soon && note.told[name]?.isSoonTold === false);
    const closed = Object.entries(note.told).filter(([alarm]) => !open.some(({ name }) => name === alarm));
    const now = this.#room.now();
    const repeat = settingOf(this.#room.config, alarmSettings.alarmRepeat);
    const lasting = open.filter((alarm) => {
      const { toldAt } = note.told[alarm.name] ?? {};
      return needsHand(alarm) && toldAt !== undefined && now - toldAt >= repeat;
    });
    if (opened.length + lasting.length + ending.length + closed.length === 0) return;
    const claimed = JSON.stringify({ told: note.told, claimedUntil: now + claimTime });
    if (!(await this.#replace(text, claimed))) return;
    const told = { ...note.told };
    const tell = (alarm: ToldAlarm, text: string) => this.#send(this.#messageOf(alarm, text));
    for (const { name, rank, what, since } of opened) {
      const alarm = { name, rank, what, since };
      if (await tell(alarm, what)) told[name] = { ...alarm, isSoonTold: false, toldAt: now };
    }
    for (const { name, what } of lasting)
      if (await tell(told[name]!, `still: ${what}`)) told[name] = { ...told[name]!, toldAt: now };
    for (const { name, soon } of ending)
      if (await tell(told[name]!, soon!)) told[name] = { ...told[name]!, isSoonTold: true };
    for (const [name, alarm] of closed) if (await tell(alarm, `over: ${alarm.what}`)) delete told[name];
    this.#told = told;
    await this.#replace(claimed, JSON.stringify({ told, claimedUntil: 0 }));
  }

  #messageOf({ name, rank, since }: ToldAlarm, text: string): AlarmMessage {
    const origin = this.#room.consoleOrigin;
    const link = `${origin}/alarms/list?${new URLSearchParams({ _find: name })}`;
    const runbook = runbookLink(settingOf(this.#room.config, alarmSettings.runbookUrl), name);
    return {
      text: `Duba: ${text}`,
      rank,
      since: isoOf(since),
      ...(origin !== undefined && { link }),
      ...(runbook !== undefined && { runbook }),
    };
  }

  /** Returns the note from the store; if the store is away, this process's own. */
  async #read(): Promise<[text: string | undefined, note: Note]> {
    const noted = this.#room.db.selectFrom("fact").select("value").where("name", "=", this.#name);
    const text = await noted.executeTakeFirst().then(
      (row) => row?.value,
      () => undefined,
    );
    return [text, text === undefined ? { told: this.#told, claimedUntil: 0 } : JSON.parse(text)];
  }

  /** Returns false if another process was faster. A store that refuses writes does not prevent messages. */
  async #replace(before: string | undefined, value: string): Promise<boolean> {
    const { db, now } = this.#room;
    try {
      const row = { value, created_at: now() };
      if (before === undefined) return await insertIfNew(db, "fact", { name: this.#name }, row);
      return await upsert(db, "fact", { name: this.#name }, row, { value: before });
    } catch {
      return true;
    }
  }
}

/** Sends a message to one receiver. */
export async function sendAlarm(url: string, message: AlarmMessage, config: TellingRoom["config"]): Promise<Sent> {
  const delivery = { url, owner: operators, body: JSON.stringify(message), headers: {}, allowsPlain: false };
  return sendDelivery(delivery, { networks: addressList(config.eventNetworks) });
}

/** Returns an `AlarmTeller` for each receiver. */
export function alarmTellers({ log, ...room }: TellingRoom & { log: Log }): AlarmTeller[] {
  return alarmReceivers(room.config).map(({ url, ranks }, at) => {
    const send = async (message: AlarmMessage) => {
      const { delivered, outcome } = await sendAlarm(url, message, room.config);
      if (!delivered) log.warn({ outcome }, "An alarm could not be sent to its receiver; we try again");
      return delivered;
    };
    // The first receiver, if it wants all ranks, keeps the note that earlier versions wrote.
    const id = at === 0 && ranks.length === 3 ? "" : hash("sha256", url).slice(0, 16);
    return new AlarmTeller(room, send, { id, ranks });
  });
}
