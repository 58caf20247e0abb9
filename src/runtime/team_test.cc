#include "runtime/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/test_child.h"

namespace mgdm::runtime {
namespace {

TEST(Team, EveryMemberWorksOnceInEveryRun) {
  for (const int members : {1, 2, 5}) {
    Team team(members);
    EXPECT_EQ(team.members(), members);
    std::vector<int> worked(static_cast<std::size_t>(members));
    for (int run = 1; run <= 200; ++run) {
      team.run([&](int member) { ++worked[static_cast<std::size_t>(member)]; });
      for (const int times : worked) ASSERT_EQ(times, run);
    }
  }
}

TEST(Team, NobodyPassesAMeetingBeforeAllAreThere) {
  constexpr int kMembers = 4, kMeetings = 300;
  Team team(kMembers);
  std::atomic<int> arrived = 0;
  std::atomic<bool> early = false;
  for (int run = 0; run < 3; ++run) {
    arrived = 0;
    team.run([&](int) {
      for (int meeting = 1; meeting <= kMeetings; ++meeting) {
        ++arrived;
        team.meet();
        if (arrived < kMembers * meeting) early = true;
      }
    });
    EXPECT_EQ(arrived, kMembers * kMeetings);
  }
  EXPECT_FALSE(early);
}

TEST(Team, SomeWorkWhileOthersDoNot) {
  Team team(4);
  for (const int taking_part : {3, 1, 4, 2}) {
    std::atomic<int> worked = 0;
    std::atomic<bool> early = false;
    team.run(taking_part, [&](int member) {
      EXPECT_LT(member, taking_part);
      ++worked;
      team.meet();
      if (worked != taking_part) early = true;
    });
    EXPECT_EQ(worked, taking_part);
    EXPECT_FALSE(early);
  }
}

TEST(Team, SleepersWake) {
  Team team(3);
  std::atomic<int> worked = 0;
  for (int run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than anybody spins
    team.run([&](int member) {
      if (member == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      team.meet();
      ++worked;
    });
  }
  EXPECT_EQ(worked, 9);
}

TEST(Team, TheCallerWorksAloneInAForkedChild) {
  auto team = std::make_unique<Team>(3);
  const auto working = [&] {
    std::atomic<int> worked = 0;
    team->run([&](int) {
      ++worked;
      team->meet();
    });
    return worked.load();
  };
  EXPECT_EQ(working(), 3);
  EXPECT_TRUE(in_a_child([&] {
    const bool alone = team->members() == 1 && working() == 1;
    team.reset();
    return alone;
  }));
  EXPECT_EQ(working(), 3);
}

}  // namespace
}  // namespace mgdm::runtime
