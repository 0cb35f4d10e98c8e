// SPDX-License-Identifier: Apache-2.0
// Two programs of Debian's Fast DDS, with its defaults:
//   fastdds_peer say COUNT   once somebody listens, sends COUNT strings, 100 a second, and waits until all are
//   acknowledged fastdds_peer hear        prints what it has heard once the one who says has left
#include <fastcdr/Cdr.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
namespace dds = eprosima::fastdds::dds;

constexpr std::uint32_t kLongest = 256;  // bytes of a string

/// std_msgs/String of ROS 2, as Fast DDS' generator of types would write it.
class StringType : public dds::TopicDataType {
 public:
  StringType() {
    setName("std_msgs::msg::dds_::String_");
    m_typeSize = kLongest;
  }
  bool serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) override {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->max_size);
    eprosima::fastcdr::Cdr cdr(buffer, eprosima::fastcdr::Cdr::DEFAULT_ENDIAN, eprosima::fastcdr::Cdr::DDS_CDR);
    payload->encapsulation = CDR_LE;
    cdr.serialize_encapsulation();
    cdr << *static_cast<std::string*>(data);
    payload->length = static_cast<std::uint32_t>(cdr.getSerializedDataLength());
    return true;
  }
  bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) override {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);
    eprosima::fastcdr::Cdr cdr(buffer, eprosima::fastcdr::Cdr::DEFAULT_ENDIAN, eprosima::fastcdr::Cdr::DDS_CDR);
    cdr.read_encapsulation();
    cdr >> *static_cast<std::string*>(data);
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<std::uint32_t>(static_cast<std::string*>(data)->size()) + 16; };
  }
  void* createData() override { return new std::string; }
  void deleteData(void* data) override { delete static_cast<std::string*>(data); }
  bool getKey(void*, eprosima::fastrtps::rtps::InstanceHandle_t*, bool) override { return false; }
};

/// Who is on the other side: waits for them to come, and to leave.
class Company {
 public:
  void changed(int by) {
    const std::lock_guard lock(mutex_);
    has_come_ = has_come_ || by > 0;
    present_ += by;
    condition_.notify_all();
  }
  bool await(int wanted, std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    return condition_.wait_for(lock, patience, [this, wanted] { return present_ >= wanted; });
  }
  bool await_the_end(std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    return condition_.wait_for(lock, patience, [this] { return has_come_ && present_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool has_come_ = false;
  int present_ = 0;
};

class Readers : public dds::DataWriterListener {
 public:
  explicit Readers(Company& company) : company_(company) {}
  void on_publication_matched(dds::DataWriter*, const dds::PublicationMatchedStatus& status) override {
    company_.changed(status.current_count_change);
  }

 private:
  Company& company_;
};

class Listener : public dds::DataReaderListener {
 public:
  explicit Listener(Company& company) : company_(company) {}
  void on_subscription_matched(dds::DataReader*, const dds::SubscriptionMatchedStatus& status) override {
    company_.changed(status.current_count_change);
  }
  void on_data_available(dds::DataReader* reader) override {
    std::string text;
    dds::SampleInfo info;
    while (reader->take_next_sample(&text, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data) {
        in_order_ += text == fmt::format("sample {}", heard_) ? 1 : 0;
        ++heard_;
      }
    }
  }
  [[nodiscard]] std::string report() const { return fmt::format("heard {}, {} of them in order", heard_, in_order_); }

 private:
  Company& company_;
  std::size_t heard_ = 0;
  std::size_t in_order_ = 0;
};

template <class Entity>
Entity* made(Entity* entity, const char* what) {
  return entity != nullptr ? entity : throw std::runtime_error(fmt::format("no {}", what));
}

/// A participant of domain 0 with a topic; all of it ends with the object.
class Participant {
 public:
  Participant()
      : participant_(
            made(dds::DomainParticipantFactory::get_instance()->create_participant(0, dds::PARTICIPANT_QOS_DEFAULT),
                 "participant")) {
    type_.register_type(participant_);
    topic_ = made(participant_->create_topic("rt/patrol", type_.get_type_name(), dds::TOPIC_QOS_DEFAULT), "topic");
  }
  ~Participant() {
    participant_->delete_contained_entities();
    dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  dds::DataWriter* writer(dds::DataWriterListener& listener) {
    auto* publisher = made(participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT), "publisher");
    dds::DataWriterQos qos = dds::DATAWRITER_QOS_DEFAULT;
    qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
    qos.history().kind = dds::KEEP_ALL_HISTORY_QOS;
    return made(publisher->create_datawriter(topic_, qos, &listener), "writer");
  }
  dds::DataReader* reader(dds::DataReaderListener& listener) {
    auto* subscriber = made(participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT), "subscriber");
    dds::DataReaderQos qos = dds::DATAREADER_QOS_DEFAULT;
    qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
    qos.history().kind = dds::KEEP_ALL_HISTORY_QOS;
    return made(subscriber->create_datareader(topic_, qos, &listener), "reader");
  }

 private:
  dds::TypeSupport type_{new StringType};
  dds::DomainParticipant* participant_;
  dds::Topic* topic_ = nullptr;
};

int say(int count, int listeners) {
  Company company;
  Readers readers(company);
  Participant participant;
  dds::DataWriter* writer = participant.writer(readers);
  if (!company.await(listeners, 40s)) {
    fmt::print(stderr, "fewer than {} listen\n", listeners);
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    std::string text = fmt::format("sample {}", i);
    if (!writer->write(&text)) {
      fmt::print(stderr, "sample {} was not taken\n", i);
      return 1;
    }
    std::this_thread::sleep_for(10ms);
  }
  if (writer->wait_for_acknowledgments({30, 0}) != ReturnCode_t::RETCODE_OK) {
    fmt::print(stderr, "not all samples were acknowledged\n");
    return 1;
  }
  fmt::print("said {}\n", count);
  return 0;
}

int hear() {
  Company company;
  Listener listener(company);
  Participant participant;
  participant.reader(listener);
  fmt::print("listening\n");
  std::fflush(stdout);
  if (!company.await_the_end(120s)) {
    fmt::print(stderr, "who says has not come, or has not left\n");
    return 1;
  }
  fmt::print("{}\n", listener.report());
  return 0;
}

int number(std::string_view text) {
  int value = 0;
  return std::from_chars(text.begin(), text.end(), value).ec == std::errc{} ? value : 0;
}

int main_of(const std::vector<std::string_view>& words) {
  if (words.size() == 2 && words[1] == "hear") {
    return hear();
  }
  if (words.size() == 4 && words[1] == "say" && number(words[2]) > 0 && number(words[3]) > 0) {
    return say(number(words[2]), number(words[3]));
  }
  fmt::print(stderr, "usage: fastdds_peer say COUNT LISTENERS | hear\n");
  return 2;
}

}  // namespace
}  // namespace hilgate::test

int main(int count, char** words) {
  try {
    return hilgate::test::main_of({words, words + count});
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
