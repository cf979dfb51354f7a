// The end of a game on a phone: how it was won, the course of the points, the way to look back.
import { Courses, drawn, how } from "./courses.js";
import { el } from "./dom.js";
import { renewed } from "./renewing.js";
import { say } from "./words.js";

/** @type {Courses | undefined} */
let courses;

/**
 * Show how a game went.
 * @param {HTMLElement} room
 * @param {number} game
 * @param {() => void} draw called when more of it is known
 */
export function ending(room, game, draw) {
  courses ??= new Courses(draw, "phone");
  const course = courses.of(game);
  renewed(room, [game, course], () => [how(course), drawn(course),
    el("p", {}, el("a", { class: "button", href: `/log/game/${game}` }, say("look_back")))]);
}
