import type { Command as CommanderCommand } from "commander";
import type { OpenCatalogue } from "../catalogue/catalogue.ts";
import type { Config, FeatureSettings } from "../config/read-config.ts";
import type { DeclaredKind } from "../declare/audit-kind.ts";
import type { Command } from "../declare/command.ts";
import type { BoundOperation, Operation } from "../declare/operation.ts";
import type { Setting } from "../declare/setting.ts";
import type { ResponseLog } from "../http/dependencies.ts";
import type { ResponseCounts } from "../http/monitoring/response-counts.ts";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import type { TellStory } from "../ledger/commands/with-story.ts";
import type { Log } from "../runtime/log.ts";
import type { Tracing } from "../runtime/trace.ts";
import type { Audit } from "../storage/audited.ts";
import type { Job } from "../storage/pulse/job-runner.ts";
import type { Pulse } from "../storage/pulse/pulse.ts";
import type { Store } from "../storage/store.ts";
import type { KeptTimes } from "../storage/tables/declared-table.ts";
import type { Io } from "../terminal/io.ts";
import type { LiveUpstreams } from "../vendors/open-vendors.ts";
import type { Identity } from "../verification/identity.ts";
import type { OpenAlarms, TellHealth } from "./alarm.ts";
import type { FeaturePage, PageAddition } from "./console-page.ts";
import type { CommandContext, Core } from "./context.ts";
import type { FeatureRecords, RecordKinds } from "./records/record-kinds.ts";

/** Lists of what core and features have together. Each loads when a family needs it. */
export interface Gathered {
  settings: () => Promise<readonly Setting<unknown>[]>;
  auditKinds: () => Promise<readonly DeclaredKind[]>;
  records: () => Promise<RecordKinds>;
}

/** How `duba --help` puts commands together, in the order in which a person meets them. */
export const helpGroups = [
  "Serve",
  "Clients",
  "Verifications and money",
  "Catalogue",
  "Vendors",
  "People and audit",
  "Store",
] as const;
export type HelpGroup = (typeof helpGroups)[number];

/** Commands that share the first word of their names. They load when somebody needs them. */
export interface Family {
  name: string;
  group: HelpGroup;
  about: string;
  load: (all: Gathered) => Promise<readonly Command<CommandContext>[]>;
}

/** A family of a feature. `before`: the family of the core that people see after it; unless given, it comes last. */
export interface FeatureFamily extends Family {
  before?: string;
}

/** Commands of a feature: a family of its own, or more commands of one that the core has. */
export type FeatureCommands = FeatureFamily | Omit<Family, "about" | "group">;

/** What a serving process gives to the features that it opens. */
export interface ServingCore extends Core {
  store: Store;
  /** Names this process in the store. */
  instance: string;
  keyring: CurrentKeyring;
  audit: Audit;
  /** Current errors of the audit trail. */
  auditAlarms: () => readonly string[];
  catalogue: OpenCatalogue;
  identity: Pick<Identity, "follow" | "isPaused" | "nearlySpent">;
  /** The vendors of live keys. */
  upstreams: LiveUpstreams["upstreams"];
  answers: ResponseCounts;
  /** The jobs of this process that failed when they ran last. */
  failingJobs: Pulse["failing"];
  /** Every operation of the product. */
  operations: readonly Operation<never>[];
  /** The pages of features, and what they add to those of the core. */
  pages: readonly (FeaturePage | PageAddition)[];
  records: Gathered["records"];
  /** What the features before it opened. */
  opened: readonly OpenedFeature[];
  /** Its place among the workers of a supervisor; undefined: it is alone. */
  worker: number | undefined;
}

/** What a word of the command line gets that is no family of commands. */
export interface WordGiven {
  io: Io;
  /** Every operation of the product, which load then. */
  operations: () => Promise<readonly Operation<never>[]>;
  words: readonly CommandWord[];
  setExitCode: (exitCode: number) => void;
}

/** A word of the command line that is no family of commands. */
export interface CommandWord {
  name: string;
  group: HelpGroup;
  about: string;
  /** A line for the help. */
  example?: string;
  /** Adds what may follow it. */
  add?: (word: CommanderCommand, given: WordGiven) => Promise<void>;
  /** Its next word is the id of an operation, which it calls. At most one word does. */
  callsOperations?: true;
  /** It is short for the word that calls operations, this id, and what follows that. `rest`: the words after it. */
  calls?: (rest: readonly string[]) => readonly [operation: string, ...rest: string[]];
}

/** A value of a metric. `suffix` follows its name, as in a histogram. */
export type MetricValue = readonly [labels: Record<string, string | number>, value: number, suffix?: string];

/** A metric that a feature declares, without the `duba_` of its name. */
export interface DeclaredMetric {
  name: string;
  help: string;
  type: "counter" | "gauge";
  values: () => Iterable<MetricValue> | Promise<Iterable<MetricValue>>;
}

/** What listens beside the operations, at the address of a setting that says `listens`. */
export interface FeatureServer {
  /** As the log calls it. */
  name: string;
  address: { host: string; port: number; setting: string };
  /** Listens there, and resolves to its URL, and to what a start prints at the terminal. */
  listen(): Promise<{ url: string; says?: string }>;
  end(): unknown;
}

/** What supervises the workers of a service. */
export interface Supervisor {
  /** The workers that the settings ask for, those that are ready, and those that ended without being asked to. */
  figures(): { wanted: number; ready: number; died: number; hung: number };
  /** What `scrape` tells in each worker that answers in time. */
  scrape(): Promise<string[]>;
}

/** The parts of a feature in a serving process. */
export interface OpenedFeature {
  operations?: readonly BoundOperation[];
  jobs?: readonly Job[];
  metrics?: readonly DeclaredMetric[];
  server?: FeatureServer;
  /** Tells the supervisor of this worker how it is. At most one feature has it. */
  scrape?: () => Promise<string>;
  /** Keeps answers for their callers to read. At most one feature has it. */
  responseLog?: ResponseLog | null;
}

/**
 * What the core does without: a folder in `src/features/`, and a line in `src/features.ts`. A command line loads every
 * such value, so that each loads what it names on first use.
 */
export interface Feature extends FeatureSettings {
  name: string;
  /** What operators or integrators have of it, in one sentence. */
  about: string;
  commands?: readonly FeatureCommands[];
  /** What it adds to the command line beside commands. */
  words?: readonly CommandWord[];
  /** Where browsers find the console, if the settings have one. At most one feature has it. */
  consoleOrigin?: (config: Config) => string | undefined;
  /** Pages of the console, and what it adds to those of the core. */
  pages?: readonly (FeaturePage | PageAddition)[];
  /** What of it people look up and open, and what it adds to such things of the core. */
  records?: () => Promise<FeatureRecords>;
  /** What only it tells the audit trail of. */
  auditEvents?: () => Promise<readonly DeclaredKind[]>;
  /** What integrators may ask of it. `open` gives them bound. */
  operations?: () => Promise<readonly Operation<never>[]>;
  /** What it knows of a verification. */
  story?: TellStory;
  /** How it is, and what of it needs a hand. */
  health?: TellHealth;
  /** Gathers what needs a hand. At most one feature has it. */
  openAlarms?: OpenAlarms;
  /** Traces requests and queries. It begins before the store opens. At most one feature has it. */
  trace?: (config: Config, log: Log) => Promise<Tracing | undefined>;
  /** How long its settings want things kept. Without it they are kept as long as their table says. */
  keeps?: (config: Config) => KeptTimes;
  /** Opens it in a serving process. What is opened is ended by `opened`. */
  open?: (core: ServingCore, opened: AsyncDisposableStack) => Promise<OpenedFeature>;
  /** Opens it in the supervisor of workers. */
  supervise?: (config: Config, log: Log, supervisor: Supervisor) => Promise<FeatureServer | undefined>;
}

export function feature(declared: Feature): Feature {
  return declared;
}
