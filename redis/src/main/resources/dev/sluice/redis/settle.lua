-- Gives back, releases or renews what a decision took.
--
-- KEYS   one for each limit; all of one hash tag
-- ARGV   verb      giveBack: the request did not run; release: it is done; renew: it is still running
--        cost      permits that were taken
--        takenAt   when they were taken, as the decision said
--        then for each limit as in decide.lua
-- Reply  { 1 }, or { 3, now } as in decide.lua
--
-- Atomic because a script is: no other command runs in between. @each and the like are explained in decide.lua.

local verb, cost, takenAt = ARGV[1], ARGV[2] + 0, ARGV[3] + 0
local admitted, latest, departsAt = true, now, now

--@each
local key_, capacity_, need_ = KEYS[i_], ARGV[capacity_at] + 0, 0
--@look
local freshAt_, changed_ = ANCIENT, verb == 'giveBack'
if verb == 'giveBack' then
  --@giveBack
end
--@settle
if changed_ then
  --@fresh
  --@write
end
--@end

return { 1 }
