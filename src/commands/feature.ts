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

/** Lists that combine core and features. Each list is loaded when a command needs it. */
export interface Gathered {
  settings: () => Promise<readonly Setting<unknown>[]>;
  auditKinds: () => Promise<readonly DeclaredKind[]>;
  records: () => Promise<RecordKinds>;
}

/** Headings of `duba --help`, in the order in which a new operator needs them. */
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

/** Commands whose names share their first word. They load on first use. */
export interface Family {
  name: string;
  group: HelpGroup;
  about: string;
  load: (all: Gathered) => Promise<readonly Command<CommandContext>[]>;
}

/** `before`: the core family that follows in the help. Without it, the family comes last. */
export interface FeatureFamily extends Family {
  before?: string;
}

/** The commands of a feature: in a family of its own, in a family of the core, or in one that the terminal lacks. */
export type FeatureCommands = FeatureFamily | Omit<Family, "about" | "group">;

/** What the service passes to each feature that it opens. */
export interface ServingCore extends Core {
  store: Store;
  /** The id of this process in the store. */
  instance: string;
  keyring: CurrentKeyring;
  audit: Audit;
  /** The current alarms of the audit trail. */
  auditAlarms: () => readonly string[];
  catalogue: OpenCatalogue;
  identity: Pick<Identity, "follow" | "isPaused" | "nearlySpent">;
  /** Vendors for live keys. */
  upstreams: LiveUpstreams["upstreams"];
  answers: ResponseCounts;
  /** Jobs of this process whose last run failed. */
  failingJobs: Pulse["failing"];
  operations: readonly Operation<never>[];
  /** Console pages of all features, and what features add to the core's pages. */
  pages: readonly (FeaturePage | PageAddition)[];
  records: Gathered["records"];
  /** The features opened earlier. */
  opened: readonly OpenedFeature[];
  /** The number of this worker process; undefined if no supervisor runs. */
  worker: number | undefined;
}

/** Passed to a command-line word that is not a command family. */
export interface WordGiven {
  io: Io;
  /** Loads all operations. */
  operations: () => Promise<readonly Operation<never>[]>;
  words: readonly CommandWord[];
  setExitCode: (exitCode: number) => void;
}

/** A first word of the command line that is not a family of commands. */
export interface CommandWord {
  name: string;
  group: HelpGroup;
  about: string;
  /** An example for the help. */
  example?: string;
  /** Declares the arguments and options of the word. */
  add?: (word: CommanderCommand, given: WordGiven) => Promise<void>;
  /** The argument of this word is the id of an operation to call. At most one word has this. */
  callsOperations?: true;
  /**
   * Makes the word an abbreviation: returns the operation id and arguments for the word that calls operations. `rest`:
   * the arguments after the abbreviation.
   */
  calls?: (rest: readonly string[]) => readonly [operation: string, ...rest: string[]];
}

/** A sample of a metric. `suffix` is added to the metric's name, as histograms need. */
export type MetricValue = readonly [labels: Record<string, string | number>, value: number, suffix?: string];

/** A metric of a feature. Its name gets the prefix `duba_`. */
export interface DeclaredMetric {
  name: string;
  help: string;
  type: "counter" | "gauge";
  values: () => Iterable<MetricValue> | Promise<Iterable<MetricValue>>;
}

/** A second server of the process, such as the one for metrics. A setting with the mark `listens` has its address. */
export interface FeatureServer {
  /** The server's name in the log. */
  name: string;
  address: { host: string; port: number; setting: string };
  /** Starts to listen. Returns the URL, and the line for the terminal. */
  listen(): Promise<{ url: string; says?: string }>;
  end(): unknown;
}

/** The process that starts and restarts the workers. */
export interface Supervisor {
  /** Numbers of workers: `wanted` by the settings, `ready`, `died` unasked, and `hung`. */
  figures(): { wanted: number; ready: number; died: number; hung: number };
  /** Collects the results of `scrape` from all workers that answer in time. */
  scrape(): Promise<string[]>;
}

/** What a feature adds to a running service. */
export interface OpenedFeature {
  operations?: readonly BoundOperation[];
  jobs?: readonly Job[];
  metrics?: readonly DeclaredMetric[];
  server?: FeatureServer;
  /** Returns this worker's metrics for the supervisor. At most one feature has it. */
  scrape?: () => Promise<string>;
  /** Stores responses so that API clients can read their own later. At most one feature has it. */
  responseLog?: ResponseLog | null;
}

/**
 * A part that the service can do without: one folder in `src/features/`, one line in `src/features.ts`. Every command
 * line loads all `Feature` values, so members import their code on first use.
 */
export interface Feature extends FeatureSettings {
  name: string;
  /** One sentence: what operators or integrators gain from the feature. */
  about: string;
  commands?: readonly FeatureCommands[];
  /** Command-line words that are not command families. */
  words?: readonly CommandWord[];
  /**
   * The origin at which browsers reach the console; undefined if the settings turn it off. At most one feature has it.
   */
  consoleOrigin?: (config: Config) => string | undefined;
  /** Console pages, and additions to the core's pages. */
  pages?: readonly (FeaturePage | PageAddition)[];
  /** Kinds of records that the console can open, and additions to the core's kinds. */
  records?: () => Promise<FeatureRecords>;
  /** Audit kinds that only this feature writes. */
  auditEvents?: () => Promise<readonly DeclaredKind[]>;
  /** Unbound operations, for the documents and `duba call`; `open` returns them bound. */
  operations?: () => Promise<readonly Operation<never>[]>;
  /** Returns the feature's part of the story of a verification. */
  story?: TellStory;
  /** The state of the feature, and its alarms. */
  health?: TellHealth;
  /** Collects the alarms of all features. At most one feature has it. */
  openAlarms?: OpenAlarms;
  /** Starts the tracing of requests and queries, before the store opens. At most one feature has it. */
  trace?: (config: Config, log: Log) => Promise<Tracing | undefined>;
  /** Retention times from the feature's settings. Without it, the defaults of each table apply. */
  keeps?: (config: Config) => KeptTimes;
  /** Starts the feature in the service. Resources added to `opened` are closed at the end. */
  open?: (core: ServingCore, opened: AsyncDisposableStack) => Promise<OpenedFeature>;
  /** Starts the feature in the supervisor of the workers. */
  supervise?: (config: Config, log: Log, supervisor: Supervisor) => Promise<FeatureServer | undefined>;
}

export function feature(declared: Feature): Feature {
  return declared;
}
