// What pages get, made from states.py by: python -m tests.protocol_tables

/** A state of a channel, in pieces, and its news. */
export interface Event {
  /** `public`, `mine` or `table`. */
  topic: string;
  /** Which channel of the topic, as `game-3`. */
  name: string;
  /** The pieces that together are the state as JSON: the first of a run and how many, in turns; `null`: it is gone, and stays so. */
  made: number[] | null;
  /** By number: those that this stream has not had. */
  pieces: Record<string, string>;
  /** Those that were sent before are to be forgotten. */
  anew: boolean;
  /** The news are all that there have been. */
  all: boolean;
  news: NewsState[];
}

/** Something that has happened. */
export interface NewsState {
  n: number | null;
  kind: string;
  turn: string | null;
  at: number;
  said: string;
  /** True: not everybody is told it. */
  own: boolean;
  /** The kinds of news of the same turn that it makes superfluous. */
  drops: string[];
}

/** A game, as a spectator or a seat may see it. */
export interface GameState {
  game: number;
  rules: string;
  title: string;
  viewer: number | null;
  ply: number;
  practice: boolean;
  seats: SeatState[];
  /** The board in words. */
  reading: string;
  turn: TurnState;
  question: QuestionState | null;
  over: OverState | null;
  /** For a seat: what lies before it, as SVG; empty where it has nothing. */
  hand?: string;
  /** It is closed: why. */
  ended?: string;
}

/** A seat of a game that is shown. */
export interface SeatState {
  name: string;
  /** 0: none. */
  place: number;
  source: "bot" | "screen" | "table";
  /** It can move. */
  moves: boolean;
  asked: boolean;
  /** It has not replied. */
  waits: boolean;
  /** A bot decides for it, also as a simulated person. */
  simulated: boolean;
  /** The cards that it holds, where all may know them. */
  cards: number[];
}

/** Whose turn it is. */
export interface TurnState {
  /** `yours`: of the seat that sees it. */
  whose: "" | "opening" | "others" | "over" | "yours";
  /** Empty where the question says it. */
  said: string;
}

/** The open question. */
export interface QuestionState {
  id: number;
  kind: "choice" | "menu" | "poll" | "roll" | "tally" | "turn" | "window";
  what: string;
  seats: number[];
  waiting: number[];
  said: string;
  secret: boolean;
  /** Of a choice: all are bound, and this seat is to open its own. */
  open: boolean;
  /** The seconds until it closes by itself. */
  left: number | null;
  /** Of a choice: each a move. */
  options?: string[];
  mine?: MineState;
}

/** What only a seat that is asked may see of a question. */
export interface MineState {
  waits: boolean;
  can: Can[];
  /** Of the groups of moves: what is touched, as a noun. */
  ways: string[][];
  /** Parts to be marked, too, in order: `can` alone would tell a secret. */
  seem?: string[][];
  bind?: Bind;
}

/** A move that can be made, or another answer. */
export interface Can {
  move: string;
  /** The parts of the drawing that it names, in groups; else one of its own. */
  parts: string[][];
  /** What is sent for it. */
  reply: any;
  /** The move as a command, where the game says it so. */
  deed: string;
  /** What it leads to, where the game says so. */
  outcome: string;
  /** The outcome warns of the move. */
  warns: boolean;
  /** Which of `ways` tells of its groups; -1: none. */
  way: number;
}

/** What a commitment is made of besides nonce and choice. */
export interface Bind {
  /** 8 bytes in hexadecimal. */
  board: string;
  /** 8 bytes in hexadecimal. */
  boot: string;
  place: number;
}

/** How a game has ended. */
export interface OverState {
  /** Who has won, in a sentence without its full stop. */
  headline: string;
  scores: Player[];
  head: string;
  remarks: string[];
}

/** A line of a scoreboard. */
export interface Player {
  name: string;
  /** Empty while the game is not over. */
  score: string;
  won: boolean;
  /** 1: a winner, or the best; those that share a rank are equal; 0: not over. */
  rank: number;
}

/** The board of a game, as everybody may see it, drawn for a surface. */
export interface BoardState {
  /** As SVG. */
  board: string;
  beside: BesideState[];
}

/** A line beside a board. */
export interface BesideState {
  said: string;
  /** Whose line it is; 0: nobody's. */
  seat: number;
  /** The part of the game that it is; empty: none. */
  part: string;
  /** Who moves, or has won: a sign of that; empty: nobody. */
  sign: string;
}

/** This browser is nobody any longer in an evening. */
export interface TakenState {
  /** Why. */
  taken: string;
}

/** Whether the keeper is there. */
export interface KeeperState {
  here: boolean;
  /** That it has not answered for a while. */
  silent?: string;
}

/** What is open. */
export interface ListState {
  games: ListedGame[];
  unfinished: number[];
}

/** A game that is open. */
export interface ListedGame {
  game: number;
  rules: string;
  title: string;
  seats: ListedSeat[];
  simulated: boolean;
  /** The number of its evening. */
  evening: number;
  /** What it is called in settings of light and sound; `null`: none. */
  table: string | null;
}

/** A seat of a game that is listed. */
export interface ListedSeat {
  name: string;
  /** 0: none. */
  place: number;
  source: "bot" | "screen" | "table";
}

/** Somebody leans over a hood. */
export interface LeaningState {
  place: number;
}

/** How an evening stands. */
export interface EveningState {
  evening: number;
  /** When, in seconds since 1970. */
  begun: number;
  here: Person[];
  /** People can come in by the code. */
  door: boolean;
  /** The port of its table, as it was named; `null`: none. */
  table: string | null;
  games: PlayedState[];
  /** Of all its games, the most wins first. */
  standings: StandingState[];
  series: SeriesState[];
  /** The title of the game that would be next. */
  next: string | null;
  /** It can be begun with those of the last game, as `another` does. */
  again: boolean;
  game: number | null;
  /** Of that game: the person whose key opens each; empty: nobody's. */
  seats: string[];
  ended: boolean;
  why: string | null;
  /** Which of those who are here this browser is, by their ids. */
  you?: string[];
  inside?: InsideState;
}

/** Somebody who is there. */
export interface Person {
  /** The id by which the log knows the person. */
  person: string;
  name: string;
  /** 0: none. */
  place: number;
  /** How this person plays now: `place`, at the table; `phone` or `terminal`, by which the person has come in; empty where no connection that is there has. */
  by: string;
  organiser: boolean;
}

/** A game of an evening. */
export interface PlayedState {
  game: number;
  title: string;
  over: boolean;
  /** Who has won, in a sentence without its full stop; empty while not over. */
  headline: string;
  players: Player[];
  remarks: string[];
}

/** Somebody, and how many games this one has won. */
export interface StandingState {
  name: string;
  wins: number;
  /** 1: the most wins; those with as many share a rank. */
  rank: number;
  bot: boolean;
}

/** A series of an evening. */
export interface SeriesState {
  /** Which games, and how many of them or of wins. */
  said: string;
  wins: number;
  count: number;
  played: number;
  over: boolean;
  /** The most wins first. */
  standings: StandingState[];
}

/** What only those see who were let in. */
export interface InsideState {
  /** By which people come in; `null`: the door is closed. */
  code: string | null;
  /** Where they do, without the code. */
  address: string;
  /** Only this computer reaches that address. */
  local: boolean;
  /** A picture of the address with the code, where others reach it. */
  qr: string | null;
  /** For organisers. */
  wishes: WishState[];
}

/** Somebody, or a screen, that asks to be let in. */
export interface WishState {
  wish: number;
  /** `device`: for somebody who is held elsewhere. */
  kind: "device" | "screen";
  name: string;
}

/** How a game that is over went. */
export interface CourseState {
  game: number;
  title: string;
  /** By what it has ended, and how far the winner was ahead; empty: unknown. */
  how: string;
  /** The last board as SVG; empty where none can be drawn. */
  board: string;
  /** The last board in words. */
  reading: string;
  /** The course of each player's points as SVG. */
  curve: string | null;
  /** What the curve counts; empty: points. */
  counts: string;
  /** The turning points, a sentence each. */
  turns: string[];
}

/** What a table shows. */
export interface LightsState {
  ring: string[];
  public: string[];
  simulated: boolean;
  /** The place over whose hood somebody leans, or 0. */
  leaning: number;
  connected: boolean;
  /** The places that are awaited. */
  asked: number[];
  /** The pixels of the hood over which this browser leans. */
  hood: string[] | null;
}

/** The cards that lie there. */
export interface PileState {
  cards: LyingCard[];
}

/** A card that lies in a simulated arena, or beside it. */
export interface LyingCard {
  how: string;
  tag: string;
  time: number;
}

/** What has passed on a table's line. */
export interface LineState {
  frames: Frame[];
}

/** Something that has passed on a table's line. */
export interface Frame {
  /** `table` or `host`. */
  from: string;
  name: string;
}
