-- Gives back, releases or renews what a decision took.
--
-- KEYS   one for each limit; all of one slot
-- ARGV   one string of doubles, most significant byte first:
--        verb      0, give back: the request did not run; 1, release: it is done; 2, renew: it is still running
--        cost      permits that were taken
--        takenAt   when they were taken, as the decision said
--        then for each limit as in decide.lua
-- Reply  1, now, packed as in decide.lua; or 3, now
--
-- Atomic because a script is: no other command runs in between. @each and the like are explained in decide.lua.

local GIVE_BACK, RELEASE, RENEW = 0, 1, 2
--@arguments verb cost takenAt
local admitted, latest, departsAt = true, now, now

--@each
local key_ = KEYS[i_]
--@look
local freshAt_, changed_ = ANCIENT, verb == GIVE_BACK
if verb == GIVE_BACK then
  --@giveBack
end
--@settle
if changed_ then
  --@fresh
  --@write
end
--@end

return pack('>Bd', 1, now)
