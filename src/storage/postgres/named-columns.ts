import {
  type OperationNode,
  PostgresQueryCompiler,
  type ReferenceNode,
  type SelectAllNode,
  type SelectQueryNode,
} from "kysely";
import { allTables } from "../tables.ts";

/**
 * Replaces `*` with the columns that this version knows. Otherwise a column that a newer version adds would break
 * prepared statements: PostgreSQL refuses one whose result has changed.
 */
export class NamedColumns extends PostgresQueryCompiler {
  protected override visitSelectAll(node: SelectAllNode): void {
    // In count(*), `*` means rows.
    if (this.nodeStack.at(-3)?.kind === "AggregateFunctionNode") super.visitSelectAll(node);
    else this.#nameColumns(this.#sources()[0]);
  }

  protected override visitReference(node: ReferenceNode): void {
    const { table, column } = node;
    if (column.kind === "SelectAllNode" && table) {
      const name = table.table.identifier.name;
      this.#nameColumns(
        this.#sources().find((source) => source.name === name),
        name,
      );
    } else super.visitReference(node);
  }

  #nameColumns(source: Source | undefined, prefix?: string): void {
    const columns = source?.table === undefined ? undefined : allTables[source.table as keyof typeof allTables];
    const before = prefix === undefined ? "" : `${this.#quoted(prefix)}.`;
    const all = columns === undefined ? ["*"] : Object.keys(columns).map((column) => this.#quoted(column));
    this.append(all.map((column) => before + column).join(", "));
  }

  #quoted(name: string): string {
    return `"${name}"`;
  }

  /** Returns the tables of the innermost query, with their aliases. */
  #sources(): Source[] {
    const query = this.nodeStack.findLast(({ kind }) => kind.endsWith("QueryNode"))!;
    return sourceNodes(query).map(sourceOf);
  }
}

interface Source {
  /** The alias, or the table's name. */
  name: string | undefined;
  /** The table; undefined for a subquery, which names its columns itself. */
  table?: string | undefined;
}

function sourceNodes(query: OperationNode): OperationNode[] {
  const { from, joins, into, table } = query as Partial<SelectQueryNode> & Record<"into" | "table", OperationNode>;
  return [...(from?.froms ?? []), ...(joins ?? []).map((join) => join.table), into, table].filter(Boolean);
}

function sourceOf(node: OperationNode): Source {
  const { alias, node: aliased } = node as unknown as Partial<Record<"alias" | "node", OperationNode>>;
  const named = aliased ?? node;
  const table = named.kind === "TableNode" ? (named as TableName).table.identifier.name : undefined;
  return { name: (alias as Identifier | undefined)?.name ?? table, table };
}

type Identifier = OperationNode & { name: string };
type TableName = OperationNode & { table: { identifier: Identifier } };
