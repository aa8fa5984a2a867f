import { run } from "../../src/cli/program.ts";
import type { Client, Wanted } from "./callers.ts";
import type { Host } from "./played-network.ts";
import type { Seed } from "./seed.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** A correction by an operator, in kobo. */
export interface Correction {
  email: string;
  reference: string;
  kobo: number;
}

/** Plays operators at a terminal, and the receivers of events. */
export class Operators {
  /** Top-ups in kobo, by e-mail. */
  readonly toppedUp = new Map<string, number>();
  readonly corrections: Correction[] = [];
  /** Times when an operator paused or resumed a vendor. */
  readonly pauses: number[] = [];
  /** Number of commands that succeeded so far. */
  deeds = 0;
  readonly #time: VirtualTime;
  readonly #seed: Seed;
  readonly #note: (what: string) => void;
  #environment: Record<string, string> = {};
  #clients: Client[] = [];
  #busy = 0;
  #terminals = 0;

  constructor(time: VirtualTime, seed: Seed, note: (what: string) => void) {
    this.#time = time;
    this.#seed = seed;
    this.#note = note;
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** A receiver of events that fails at times. */
  receiver(host: string): Host | undefined {
    if (!host.endsWith(".receiver.example")) return undefined;
    return () => {
      const chance = this.#seed.below(20);
      if (chance === 0) return { after: 100 };
      if (chance === 1) return { after: 15_000, response: { status: 200, body: {} } };
      return { after: 40, response: { status: chance === 2 ? 503 : 200, body: {} } };
    };
  }

  /**
   * Opens the accounts of a run: without a cap, with a cap, and prepaid. `complete` runs the clock until a command
   * ends.
   */
  async openAccounts(
    environment: Record<string, string>,
    complete: <Result>(work: Promise<Result>) => Promise<Result>,
  ): Promise<Client[]> {
    this.#environment = environment;
    const ways = ["plain", "plain", "capped", "prepaid", "prepaid"] as const;
    for (const [nth, pays] of ways.entries()) {
      const email = `client-${nth}@example.com`;
      await complete(this.#duba("accounts", "create", "--name", `Client ${nth}`, "--email", email));
      const made = await complete(
        this.#duba("keys", "create", "--account", email, "--mode", "live", "--label", "till", "--json"),
      );
      const client: Client = { email, pays, apiKey: JSON.parse(made!).key, isSuspended: false };
      this.#clients.push(client);
      if (pays === "capped") await complete(this.#duba("accounts", "change", email, "--cap-naira", "200000", "--yes"));
      if (pays === "prepaid") {
        await complete(this.#duba("accounts", "change", email, "--prepaid", "on", "--yes"));
        await complete(this.#topUp(client, 60_000));
      }
      if (nth % 2 === 0)
        await complete(
          this.#duba("events", "endpoints", "add", `https://${nth}.receiver.example/hook`, "--account", email),
        );
    }
    return this.#clients;
  }

  /** Draws one operator's command, and runs it. */
  async act(wanted: readonly Wanted[]): Promise<void> {
    this.#busy += 1;
    try {
      await this.#deed(wanted);
    } catch (error) {
      this.#time.fail(error);
    } finally {
      this.#busy -= 1;
    }
  }

  async #deed(wanted: readonly Wanted[]): Promise<void> {
    const seed = this.#seed;
    const client = seed.pick(this.#clients);
    const recent = wanted.slice(-200);
    const given = recent.filter(({ tries }) => tries.some(({ heard }) => heard?.status === 200));
    const unknown = recent.filter(({ tries }) => tries.at(-1)?.heard?.status === 504);
    const deed = seed.pick([
      "top up",
      "top up",
      "correct",
      "suspend",
      "price",
      "erase",
      "settle",
      "revoke",
      "roll",
      "rotate",
      "pause",
      "key that ends",
      "price later",
    ] as const);
    this.#note(`operator: ${deed}`);
    switch (deed) {
      case "top up":
        if (client.pays === "prepaid") await this.#topUp(client, seed.between(5_000, 40_000));
        return;
      case "correct": {
        const one = given.length > 0 ? seed.pick(given) : undefined;
        const reference = one?.tries.find(({ heard }) => heard?.status === 200)?.heard?.body.data
          ?.request_reference as string;
        if (!one || this.corrections.some((earlier) => earlier.reference === reference)) return;
        const kobo = seed.pick([5_000, 10_000]);
        const { email } = one.client;
        const words = [
          "--account",
          email,
          "--reference",
          reference,
          "--credit",
          String(kobo / 100),
          "--reason",
          "Goodwill",
        ];
        if (await this.#duba("books", "adjust", ...words)) this.corrections.push({ email, reference, kobo });
        return;
      }
      case "suspend":
        if (!(await this.#duba("accounts", "suspend", client.email, "--yes"))) return;
        client.isSuspended = true;
        await this.#time.pause(seed.between(5, 20) * 1_000);
        await this.#duba("accounts", "resume", client.email);
        client.isSuspended = false;
        return;
      case "price":
        await this.#duba(
          "accounts",
          "change",
          client.email,
          "--bvn-fee",
          seed.pick(["default", "80", "120.50"]),
          "--yes",
        );
        return;
      case "erase": {
        const one = given.length > 0 ? seed.pick(given) : undefined;
        if (!one) return;
        // The erasure begins here, so any data of the person may be missing from now on.
        for (const same of wanted) if (same.number === one.number && same.kind === one.kind) same.isErased = true;
        const begunAt = this.#time.now;
        if ((await this.#typing(`${one.number}\n`, "subjects", "erase", "--kind", one.kind, "--yes")) === undefined)
          return;
        for (const same of wanted) if (same.number === one.number && same.kind === one.kind) same.erasedAt = begunAt;
        return;
      }
      case "settle": {
        const reference = unknown.length > 0 && seed.pick(unknown).tries.at(-1)!.heard!.body.error!.request_reference;
        if (reference)
          await this.#duba("ledger", "release", reference, "--reason", "The vendor knows nothing of it", "--yes");
        return;
      }
      case "revoke":
      case "roll": {
        const id = client.apiKey.split("_")[2]!;
        const made =
          deed === "roll"
            ? await this.#duba("keys", "roll", id, "--overlap", "1h", "--json")
            : await this.#duba(
                "keys",
                "create",
                "--account",
                client.email,
                "--mode",
                "live",
                "--label",
                "till",
                "--json",
              );
        if (!made) return;
        client.apiKey = JSON.parse(made).key;
        if (deed === "revoke") await this.#duba("keys", "revoke", id, "--yes");
        return;
      }
      case "rotate":
        await this.#duba("keyring", "rotate");
        return;
      case "pause":
        this.pauses.push(this.#time.now);
        if (await this.#duba("routes", "pause", "prembly", "--why", "load", "--for", "10min", "--yes")) {
          await this.#time.pause(seed.between(2, 30) * 1_000);
          await this.#duba("routes", "resume", "prembly");
        }
        this.pauses.push(this.#time.now);
        return;
      case "key that ends":
        await this.#keyThatEnds(client);
        return;
      case "price later": {
        const from = `${new Date(this.#time.now + seed.between(1, 40) * 3_600_000).toISOString().slice(0, 16)}+00:00`;
        await this.#duba(
          "prices",
          "set",
          client.email,
          "MTNDATA",
          "--margin",
          String(seed.between(1, 9)),
          "--from",
          from,
        );
      }
    }
  }

  /** Creates a second key that expires after an hour. */
  async #keyThatEnds(client: Client): Promise<void> {
    const words = ["--account", client.email, "--mode", "live", "--label", "passing", "--expires", "1h", "--json"];
    const made = await this.#duba("keys", "create", ...words);
    if (made) client.passing = { apiKey: JSON.parse(made).key, endsAt: this.#time.now + 3_600_000 };
  }

  async #topUp({ email }: Client, naira: number): Promise<void> {
    if (await this.#duba("accounts", "top-up", email, String(naira), "--reason", "a transfer", "--yes"))
      this.toppedUp.set(email, (this.toppedUp.get(email) ?? 0) + naira * 100);
  }

  /** Returns a command's output, or undefined if the command failed. */
  async #duba(...argv: string[]): Promise<string | undefined> {
    return this.#typing("", ...argv);
  }

  /** Like `#duba`, with text on standard input. */
  async #typing(stdin: string, ...argv: string[]): Promise<string | undefined> {
    const written = { out: "", err: "" };
    this.#terminals += 1;
    const terminal: Owner = { name: `terminal ${this.#terminals}`, isDead: false, clockOffset: 0 };
    const io = {
      out(text: string) {
        written.out += text;
      },
      err(text: string) {
        written.err += text;
      },
      environment: this.#environment,
      stdin: Object.assign(chunksOf(stdin), { isTTY: false }),
      isTerminal: false,
      progressAfter: 0,
    };
    const code = await this.#time.as(terminal, () => run(argv, io));
    this.#note(`duba ${argv.slice(0, 3).join(" ")}: ${code === 0 ? "done" : `${code} ${written.err.trim()}`}`);
    if (code !== 0) return undefined;
    this.deeds += 1;
    return written.out;
  }
}

async function* chunksOf(text: string) {
  yield Buffer.from(text);
}
