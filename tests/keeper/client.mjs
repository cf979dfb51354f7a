// A client of the keeper in JavaScript: it plays a game of Dilemma at three seats, while a spectator prints the news.
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'

const log = realpathSync(process.env.TABLIER_LOG ?? path.join(os.homedir(), '.local/state/tablier/tablier.db'))
const socket = readFileSync(`${log}-lock`, 'utf8').split('\n')[1]
const began = Date.now(), marks = {}
const mark = what => { marks[what] ??= `${Date.now() - began} ms` }

class Client {
  asked = 0
  waiting = new Map()
  updates = _ => {}                                              // what the keeper says by itself
  ended = _ => {}
  constructor() {
    let rest = Buffer.alloc(0)
    this.socket = net.connect(socket)
    this.socket.on('error', problem => { console.error(problem.message); process.exit(1) })
    this.socket.on('data', data => {
      rest = Buffer.concat([rest, data])
      for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1))
        this.take(JSON.parse(rest.subarray(0, end).toString()))
    })
  }
  take({ id, method, params, result, error }) {
    if (method) return this[method]?.(params)
    const { resolve, reject } = this.waiting.get(id)
    this.waiting.delete(id)
    error ? reject(new Error(`${error.code}: ${error.message}`)) : resolve(result)
  }
  ask(method, params = {}) {
    const id = ++this.asked
    this.socket.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }))
  }
  async hello(token) { // the version is the keeper's own, which 'tablier --version' prints
    const result = await this.ask('hello', { protocol: 1, version: process.argv[2], ...token && { token } })
    mark('hello')
    return result
  }
}

// A template and its arguments: each is a number, a word, a seat, a move, a template itself, or a list of such.
const say = ({ text, args, one }, names) => (one && args.count === 1 ? one : text).replace(/\{(\w+)\}/g, (_, key) => word(args[key], names))
const word = (value, names) => Array.isArray(value) ? value.map(each => word(each, names)).join(', ')
  : value?.list ? word(value.list, names) : value?.move ?? (value?.seat ? names[value.seat - 1]
  : value?.text ? say(value, names) : value)

const commitment = ({ board, boot, place }, question, seat, nonce, choice) => {
  const head = Buffer.alloc(40)
  head.write('tablier choice')
  head.writeUInt16LE(2, 16)
  head.write(board + boot, 18, 'hex')                            // as their bytes stand there, not as numbers
  head.writeUInt32LE(question, 34)
  head[38] = place
  head[39] = seat
  return createHash('sha256').update(Buffer.concat([head, nonce, Buffer.from([choice])])).digest('hex')
}

const move = ({ what, mine }, view) => {                         // null: a pass
  if (what !== 'window') return mine.moves[0]
  if (view.pile.some(([, rank]) => rank !== view.offer)) return null
  return mine.moves.find(each => each !== `throw ${view.offer}`) ?? null
}

async function play(game, seat, entry) {
  const client = new Client(), done = new Set(), secrets = new Map()
  client.updates = ({ updates: [{ question, view }] }) => {
    mark('view')
    const { id, kind, open, mine } = question ?? {}
    // Once a secret choice is open, `waits` is false and `waiting` is empty, though the keeper waits for the openings.
    if (!(open ? secrets.has(id) : mine?.waits) || done.has(`${id} ${open}`)) return
    done.add(`${id} ${open}`)
    const reply = (event, what) => {
      mark(event)
      client.ask('reply', { game, reply: { event, id, seat, ...what } })
        .catch(problem => { console.error(event, problem.message); process.exitCode = 1 })
    }
    if (kind !== 'choice') return reply('played', { move: move(question, view) })
    if (open) return reply('opened', secrets.get(id))
    // Which choices are this seat's, `mine.moves` says; the number is that in `options`, which everybody has.
    const choice = question.options.indexOf(mine.moves[(id + seat) % mine.moves.length]), nonce = randomBytes(16)
    secrets.set(id, { nonce: nonce.toString('hex'), choice })
    reply('locked', { commitment: commitment(mine.bind, id, seat, nonce, choice) })
  }
  await client.hello()
  await client.ask('enter', entry)                               // as the person who has the seat
  await client.ask('watch', { game, viewers: [seat] })
}

const operator = new Client(), spectator = new Client()
await operator.hello(readFileSync(log + '-token', 'utf8').trim())
await spectator.hello()
const names = ['Anne', 'Bernard', 'Christine']
const { game, evening, people, enter } = await operator.ask('play', { game: 'dilemma', seats: names.map(name => ({ name, source: 'screen' })) })
const over = new Promise(resolve => {
  spectator.ended = ({ why }) => { console.error('the game ended early:', why); process.exit(1) }
  spectator.updates = ({ updates: [update] }) => {
    for (const { at, text } of update.news) console.log(`${at ?? ''}`.padStart(3), say(text, names))
    if (update.over) resolve(update.over)
  }
})
await spectator.ask('watch', { game, viewers: [null] })
for (const [seat, person] of Object.entries(people)) await play(game, Number(seat), { evening, person, key: enter[person] })
const { scores, winners } = await over
console.log('won by', winners.map(seat => names[seat - 1]).join(', '), JSON.stringify(scores))
console.log('after', JSON.stringify(marks))
if (!marks.opened) throw new Error('no duel was opened')
process.exit()                                                   // a game that is over closes when nobody watches it
