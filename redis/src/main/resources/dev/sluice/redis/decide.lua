-- One decision, on one limit or on several, all or nothing.
--
-- KEYS   one for each limit; all of one hash tag
-- ARGV   verb      take: charge the permits if all limits admit them; peek: say what take would
--        cost      permits asked for
--        maxDelay  longest delay of a queue that is acceptable, in microseconds; -1 for any
--        then for each limit: its algorithm, capacity, reserve (permits kept for requests of a higher class) and four
--        numbers that the algorithm knows
-- Reply  1. outcome: 0 denied, 1 allowed, 2 more than can ever be granted, 3 the span of a calendar window is over
--        2. which limit is the tightest, counted from 1    3. permits left       4. retry after    5. reset after
--        6. delay    7. when the permits were taken       8. now; all in microseconds, -1 for never
--
-- Atomic because a script is: no other command runs in between.

local verb, cost, maxDelay = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local count = #KEYS
local states, reserves = {}, {}
for i = 1, count do
  local at = 7 * i - 3
  local capacity = tonumber(ARGV[at + 1])
  reserves[i] = tonumber(ARGV[at + 2])
  states[i] = algorithms[ARGV[at]](KEYS[i], capacity,
    tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6]))
  if states[i].outOfSpan then return { 3, i, 0, 0, 0, 0, 0, now } end
end

local function until_(instant)
  if instant == NEVER then return -1 end
  return math.max(0, instant - now)
end

local function remaining(i)
  return math.max(0, states[i].capacity - states[i].used() - reserves[i])
end

local fits, admitted, latest, departsAt = true, true, now, now
for i = 1, count do
  local state = states[i]
  fits = fits and cost <= state.capacity - reserves[i]
  admitted = admitted and fits and (cost == 0 or state.admits(cost + reserves[i]))
  latest = math.max(latest, state.latest())
  departsAt = math.max(departsAt, state.departsAt())
end
local tooLate = maxDelay >= 0 and departsAt - now > maxDelay

if admitted and not tooLate then
  if cost > 0 then
    for i = 1, count do
      states[i].take(latest, cost)
    end
    if verb == 'take' then
      for i = 1, count do states[i].write() end
    end
  end
  local tightest, freshAt, takenAt = 1, ANCIENT, now
  for i = 1, count do
    if remaining(i) < remaining(tightest) then tightest = i end
    freshAt = math.max(freshAt, states[i].freshAt())
    takenAt = math.max(takenAt, states[i].latest())
  end
  return { 1, tightest, remaining(tightest), 0, until_(freshAt), until_(departsAt), takenAt, now }
end

local slowest, readyAt, least, freshAt = 1, ANCIENT, NEVER, ANCIENT
for i = 1, count do
  local ready = NEVER
  if cost <= states[i].capacity - reserves[i] then ready = states[i].readyAt(cost + reserves[i]) end
  if ready > readyAt then slowest, readyAt = i, ready end
  least = math.min(least, remaining(i))
  freshAt = math.max(freshAt, states[i].freshAt())
end
if tooLate then readyAt = math.max(readyAt, departsAt - maxDelay) end
local outcome = 0
if not fits then outcome = 2 end
return { outcome, slowest, least, until_(readyAt), until_(freshAt), 0, 0, now }
