-- Gives back, releases or renews what a decision took.
--
-- KEYS   one for each limit; all of one hash tag
-- ARGV   verb      giveBack: the request did not run; release: it is done; renew: it is still running
--        cost      permits that were taken
--        takenAt   when they were taken, as the decision said
--        then for each limit as in decide.lua
-- Reply  1, or 3 as in decide.lua, and now
--
-- Atomic because a script is: no other command runs in between.

local verb, cost, takenAt = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local states = {}
for i = 1, #KEYS do
  local at = 7 * i - 3
  states[i] = algorithms[ARGV[at]](KEYS[i], tonumber(ARGV[at + 1]),
    tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6]))
  if states[i].outOfSpan then return { 3, now } end
end
for i = 1, #KEYS do
  local settle = states[i][verb]
  if settle then
    settle(takenAt, cost)
    states[i].write()
  end
end
return { 1, now }
